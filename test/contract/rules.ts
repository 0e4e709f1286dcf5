/** A rule of the interface that no single route declares, its source, and the test that shows it, by file and title. */
export type Rule = { name: string; from: string; rule: string; test: [file: string, title: string] };

/** One rule a line: its name, its source, the rule in words, the file of its test below `test/`, and the title there. */
const lines = `
# Every answer
keys | decisions §1 | Every documented key is present, in the documented order; its value is \`null\` when there is none. | contract/keys | GET /v0/eth/blocks and one of them
both-apis | decisions §1 | REST and GraphQL return the same rows, digit for digit; a ratio that GraphQL has as a Float is the nearest double. | contract/both-apis | of %s give the same rows, digit for digit, in both directions
one-value | decisions | The value of a GraphQL field depends on its object and its arguments only, never on the list above it. | contract/one-value | of %s, whichever list it was read from
order | decisions | Time series and lists of the chain are newest first in GraphQL, unless \`orderBy\` asks for another order; REST keeps the documented order of each path. | graphql/newest-first | are the newest, newest first: %s
stored-ends | decisions | \`storedFrom\` and \`storedTo\` tell a list that is empty from one of a time that is not stored. | graphql/stored-ends | are the same in an empty list: %s
exact-numbers | decisions §1 | Sums past 2^53 keep all digits, as JSON numbers and as \`BigInt\` text. | resources/operators | answers balances past 2^53 with all digits
exact-decimals | decisions §1 | Decimals are strings in v0 and JSON numbers in v1, with the same digits. | resources/stake-authorities | write the same digits: text in v0, JSON numbers in v1
head | decisions §1 | HEAD is answered like GET on every read path, without the body. | contract/parameters | HEAD %s is answered as GET, without the body
method | decisions §1 | Any other method is 405 with \`Allow\`, even without a token. | contract/parameters | needs a token, and tells any other method without one
unknown-path | decisions §1 | An unknown path is 404, even without a token. | http/refusals | the unknown path %s is 404, whatever the method
request-id | decisions §1 | Every response has an \`X-Request-Id\`: the caller's if it is valid, otherwise a new one. | http/refusals | of the caller comes back on a %i of %s

# Tokens (spec §5)
token | spec §5 | Every path needs a token; without a valid one the response is 401 \`Not authenticated\` with \`WWW-Authenticate\`. | http/no-way-in | refuses %s, and asks the database nothing
token-kinds | decisions §1 | Missing, malformed, unknown, revoked and expired tokens all get the same response. | http/refusals | is refused when expired
token-first | decisions §1 | The token is checked before the body. | resources/tags | needs a token before it looks at the body

# Refusals (spec §7)
faults-at-once | decisions §1 | Invalid input is 400 with one item for each fault; all faults are reported at once, including those of headers. | resources/operators | tells all faults at once, those of the header too
never-clamped | decisions §1 | Integers are decimal digits; a value out of range is refused, never clamped. | contract/parameters | %s refuses any other value, naming it
required | spec §4 | A missing required parameter is reported as missing. | contract/parameters | %s is required
defaults | spec §8 | An absent parameter has its documented default. | contract/parameters | %s has its default when absent
null-is-absent | decisions §1 | Empty and \`null\` mean absent where a parameter is nullable, and are refused elsewhere. | contract/parameters | %s is absent when empty or null if it may be null, which is refused elsewhere
twice | decisions §1 | A parameter given twice is refused. | contract/parameters | %s is refused twice, also with the same value
unknown-parameters | decisions §1 | Unknown parameters are ignored. | http/input | of a parameter that is not documented is ignored
unknown-in-body | decisions §5 | Unknown names in a body are refused. | resources/tags | refuses a body that is %s, for all its faults
no-inner-text | decisions §1 | An internal error is 500 and reveals nothing of its cause; other requests are served meanwhile. | http/faults | is 500 with nothing of its cause on both APIs, and others are served meanwhile and afterwards
unavailable | decisions §1 | If the database cannot answer, the response is 503 with \`Retry-After\`. | http/faults | is 503 with Retry-After on both APIs, and answers come again when it does
too-large | decisions §1 | A request that is too large is 413. | http/input | of 1 MB is 413 with the documented body
content-type | decisions §1 | A body of another content type is 415. | resources/tags | refuses %s with 415

# The network header (spec §4.1)
network | spec §4.1 | \`X-Service-Network\` selects the network of Ethereum, mainnet by default. | http/network-header | selects the network on both APIs, mainnet by default
network-values | decisions §1 | Any value but mainnet, hoodi, holesky and sepolia is 400 at the header. | http/network-header | refuses %s with 400 at ["header","X-Service-Network"] on both APIs
network-names | decisions §1 | \`NETWORK_HEADERS\` may add the names that older clients send. | http/network-header | has the further names of NETWORK_HEADERS beside it
network-elsewhere | interface §4.1 | It is read on every path of Ethereum and ignored on all others. | contract/parameters | refuses an unknown network on paths of Ethereum, and ignores the header on all others

# Identifiers
hex-case | decisions §1 | Addresses and public keys match in any letter case and are returned in lower case; names are case-sensitive. | resources/operators | matches addresses in any letter case and names in their own
no-such-entity | decisions §1 | An entity that does not exist is 404; one without rows in the range is 200 with an empty list. | resources/attestations | answers an empty list for an entity without rows, 404 for none

# Pages (spec §9)
v0-envelope | decisions §2 | Lists of v0 return \`page\`, \`total\`, \`data\` and \`next\`, a relative URL with the effective parameters. | resources/operators | repeats the effective parameters in a relative next
v1-envelope | spec §9 | Lists of v1 return \`previous\`, \`next\`, \`pages\` and \`results\`; the links keep the caller's query. | kernel/envelopes | keep the query of the caller and replace limit and offset where they stand
base-path | decisions §2 | Below the path of \`PUBLIC_URL\` or of a trusted proxy's \`X-Forwarded-Prefix\`, every link has the path, and \`next\` of v0 begins with it. | http/base | everything is on the path %s, also from the cache
v1-links | decisions §2 | Links of v1 are absolute; PUBLIC_URL takes precedence over everything else. | http/links | are on PUBLIC_URL before all others
forwarded | decisions §2 | Forwarded headers count only from trusted proxies. | http/links | are on the scheme and host of the request, whatever is forwarded by strangers
every-row-once | decisions §2 | Following \`next\` returns every row once, in order, even if a refresh lands between two pages. | resources/walks | gives every row once, in the order and with the figures of its beginning, by next
every-row-once-graphql | decisions §2 | So do cursors, in both directions. | resources/walks | gives every row once by cursors, forward and back
deep-pages | decisions §2 | A page costs the same at any depth. | resources/stake-authorities | of %i costs what the first does

# Time
chain-days | decisions §3 | Chain day N is epochs 225N to 225N + 224; its date is the UTC date on which it starts. | chain/calendar | counts days of 225 epochs from genesis
utc-days | decisions §3 | An epoch belongs to the UTC day in which it starts. | chain/calendar | puts an epoch into the UTC day in which it starts, one at 23:57 included
utc-since | spec §4.4 | UTC rows exist for dates from 2024-10-01 on. | resources/attestations | is empty before the first UTC date
longer-periods | decisions §3 | Weeks are ISO weeks; months, quarters and years are calendar ones. | chain/calendar | begin weeks on Monday, also week 53 and the days before it in January
period-keys | decisions §3 | Hours have \`hour\`, \`day\` and \`date\`; days have \`day\` and \`date\`; longer periods have a start and an end; the others are null. | resources/attestations | sets on %s rows the keys that belong to them, the others null
ranges | decisions §3 | Ranges are inclusive; if both dates and days are given, the narrower range counts. | resources/attestations | takes fromDay, toDay, fromDate and toDate inclusively, and the narrower range of both

# Operators (spec §4.2, 4.3)
operators-order | decisions §4 | Operators are sorted by network penetration descending with nulls last, then validator count descending, then id. | resources/operators | orders by network penetration descending with nulls last, then validator count descending, then id
pool-type | spec §4.2 | \`poolType\` restricts pools to exchanges or liquid staking. | resources/operators | narrows pools to exchanges and liquid staking by their tags
parent | spec §4.2 | \`parentId\` returns the pool shares of a pool or node operator, whatever \`idType\` says. | resources/operators | answers the pool shares of a pool or a node operator for parentId, whatever idType says
parent-entity | decisions §7 | \`parentEntity\` is deprecated; its responses have a \`Deprecation\` header. | resources/operators | answers parentEntity like parentId, with a Deprecation header
infer-class | spec §4.3 | \`idType\` is inferred for pools, pool shares and node operators; an address is a deposit address. | resources/operators | infers pools, node operators and pool shares, and takes an address as a deposit address
apr | decisions | \`aprPercentage\` is 365 × 100 × rewards ÷ (days × mean stake); the mean stake is that over the epochs, never that at one end of a period. | refresh/mean-stake | is what it earned a year on the stake of each epoch, in %s

# Attestations (spec §4.4)
attestations-sort | decisions §4 | Sorting by a field that is not sortable is refused; the message lists the sortable ones. | resources/attestations | lists what results can be sorted by when it refuses
attestations-sums | decisions §3 | Longer periods have the sums of their days, means weighted by validators, and the last balances. | resources/attestations-differential | %s: every granularity in both calendars
no-sync-duty | decisions §4 | Sums of sync signatures are null without sync duty. | resources/attestations-entity | without sync duty has null sums, and those of its other days where it has some

# Slashings (spec §4.5)
slashings-order | decisions §4 | Slashings are sorted by epoch and validator, ascending. | resources/slashings | orders by slashing epoch and validator index, and every row comes once at any page size
slashings-from | spec §4.5 | \`from\` is a chain day or a moment, inclusive. | resources/slashings | lists from a moment on, which counts itself
slashings-page | decisions §4 | \`page.from\` is the chain day of the first requested row, \`page.to\` that of the last returned row. | resources/slashings | gives page.from and page.to as the chain days of the first asked and the last returned
penalty | decisions §4 | A penalty is the balance before slashing minus the balance before withdrawal. | resources/slashings | has a penalty that is the difference of the balances

# Sync committee rewards (spec §4.6)
sync-rewards | decisions §4 | Rewards are signed Gwei as text, sorted by validator, one row for each seat. | resources/sync-committee-rewards | has one row for each seat, ascending by validator index, so that some validators come twice
sync-empty-slot | decisions §4 | A slot without a block is 200 and empty; one after the head is 404. | resources/sync-committee-rewards | answers 200 and nothing for a slot without a block, and 404 for one after the head

# Solana (spec §4.7, 4.8)
overview-order | decisions §4 | The overview has one record for each window, in the order 1d, 7d, 30d, all. | resources/solana-overview | answers one record a window in the order 1d, 7d, 30d, all, with the documented keys in order
authority-types | decisions §4 | \`type\` is \`pool\`, with a poolName, or \`individual\`, without one. | resources/stake-authorities | narrows to pools, which have a poolName, and to individuals, which have none
solana-v0 | decisions §7 | Responses of Solana below v0 have \`Deprecation\` and a \`Link\` to the successor, errors included. | resources/solana-overview | v0 says that it is deprecated and by what, also when it refuses; v1 does not

# The further endpoints (spec §4.9)
blocks-order | decisions §5 | Blocks descend from the slot \`from\`, by default from the newest. | resources/blocks | begins with the slot of from, or the next stored one below it
blocks-missed | decisions §5 | A missed slot has its proposer and the missed rewards, and null in fields that only a block has. | resources/blocks | shows a missed slot: its proposer and what it lost, and null for what only a block has
blocks-fresh | decisions §5 | A new block is served within a second of being stored. | resources/blocks | is served within a second of being stored, on every path and both APIs
daily-from | decisions §5 | \`from\` of chain daily rewards is a chain day, a date or a moment. | resources/chain-daily-rewards | goes down from a chain day, its date or a moment in it
daily-never-500 | spec §7 | Any value gets a result or a helpful 400, never a 500. | resources/chain-daily-rewards | refuses %s=%s with 400 naming it
consolidation-filters | decisions §5 | Consolidations can be filtered by a validator or an entity on either side. | resources/consolidations | narrows to a validator on either side, by index and by public key in any case
entity-consolidations | decisions §5 | Consolidations by source entity are sorted by balance, largest first. | resources/consolidation-totals | answers node operators by balance, largest first, when nothing is asked
churn | decisions §5 | Capacity is the sum of the churn limits of the epochs of the window, those of Electra or, since that fork, of Gloas. | chain/churn | are whole ETH, never below 0, and split the limit of the balance
capacity | decisions §5 | Capacity has one record for each window, with the share of it that was used. | resources/consolidation-totals | answers one record a window, as a plain loop gives it, in two statements
daily-networks | decisions §5 | Daily rewards exist for seven networks; any other name is 404. | resources/network-rewards | %s is 404 on both paths

# Private sets
tag-made | decisions §5 | POST creates a tag and returns it with 201. | resources/tags | makes a tag and answers it
tag-limits | spec §8 | Tags are limited by tier: build 4, growth 20; one more is 403. | resources/tags | of the %s tier is at most %i, also when asked at once
tag-tiers | spec §8 | The tiers free and starter have no tags (403). | resources/tags | of the %s tier is none
tag-call | decisions §5 | A call adds at most 1,000 validators. | resources/tags | are at most 1,000 a call
tag-size | decisions §5 | A tag has at most 15,000 validators. | resources/tags | are at most 15,000 a tag
tag-past | decisions §5 | A removed validator still counts in the past of its set. | resources/private-sets-differential | with members added and removed in between, in both calendars and every granularity
tag-owner | decisions §5 | Another account's set is 404. | resources/private-sets-security | is 404 as an entity
idempotency | decisions §5 | A POST with an Idempotency-Key is executed once; repeating it returns the same response. | http/idempotency | asked again gets the first answer, marked, and does nothing

# Tiers and metering (spec §8)
units | spec §8 | \`X-Service-Compute-Units\` is the base of the path plus its weight for each row. | accounts/units | is the base of the path and its weight for each row answered
units-of-errors | decisions §6 | Errors of the caller cost 1; errors of the service cost nothing. | accounts/units | is 0 where nothing was answered: 401, 402, 429, and faults of ours
units-table | decisions §6 | The weights are one table, shown in the API reference. | contract/compute-units | is in the API reference, at each operation
graphql-cost | decisions §6 | GraphQL costs what the REST calls that it replaces cost. | accounts/units-of-queries | are charged the same: %s
rate | spec §8 | Exceeding the rate of the account is 429; free and starter have two requests a second. | accounts/rates | of the %s tier lets two requests a second pass
rate-fields | decisions §6 | The RateLimit headers have what is left. | accounts/rates | is told in the RateLimit fields of each answer
allowance-free | spec §8 | The free tier has 100,000 compute units in total. | accounts/allowance | is 100,000 units for life: no month gives more
allowance-starter | spec §8 | The starter tier has 100,000 a month; when they are used up, requests get 402. | accounts/allowance | is 100,000 units, then both APIs are 402 until the month turns over
`;

export const rules: Rule[] = lines
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [name, from, rule, file, title] = line.split(' | ') as [string, string, string, string, string];
    return { name, from, rule, test: [file, title] };
  });
