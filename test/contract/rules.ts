/** A rule of the interface that no route says by itself, where it comes from, and the test that shows it by file and title. */
export type Rule = { name: string; from: string; rule: string; test: [file: string, title: string] };

/** One a line: its name, where it comes from, the rule in words, the file of its test below `test/`, the title there. */
const lines = `
# Every answer
keys | decisions §1 | Every documented key is there, in documented order; \`null\` where it has no value. | contract/keys | GET /v0/eth/blocks and one of them
both-faces | decisions §1 | REST and GraphQL give the same rows, digit for digit. | contract/faces | of %s give the same rows, digit for digit, in both directions
exact-numbers | decisions §1 | Sums past 2^53 have all digits, as a JSON number and as \`BigInt\` text. | resources/operators | answers balances past 2^53 with all digits
exact-decimals | decisions §1 | Decimals are text in v0 and JSON numbers in v1, of the same digits. | resources/stake-authorities | write the same digits: text in v0, JSON numbers in v1
head | decisions §1 | HEAD answers every read path as GET does, without the body. | contract/parameters | HEAD %s is answered as GET, without the body
method | decisions §1 | Any other method is 405 with \`Allow\`, and needs no token to be told. | contract/parameters | needs a token, and tells any other method without one
unknown-path | decisions §1 | An unknown path is 404, without a token too. | http/refusals | the unknown path %s is 404, whatever the method
request-id | decisions §1 | \`X-Request-Id\` is on every answer: the caller's own if it is sane, else a new one. | http/refusals | of the caller comes back on a %i of %s

# Tokens (spec §5)
token | spec §5 | Every path needs a token; without a good one it is 401 \`Not authenticated\` with \`WWW-Authenticate\`. | http/no-way-in | refuses %s, and asks the database nothing
token-kinds | decisions §1 | Missing, malformed, unknown, revoked and expired tokens get one and the same answer. | http/refusals | is refused when expired
token-first | decisions §1 | The token is looked at before the body. | resources/tags | needs a token before it looks at the body

# Refusals (spec §7)
faults-at-once | decisions §1 | Invalid input is 400 with one item for each fault, all at once, those of the header too. | resources/operators | tells all faults at once, those of the header too
never-clamped | decisions §1 | Integers are decimal digits; out of range is refused, never clamped. | contract/parameters | %s refuses any other value, naming it
required | spec §4 | A required parameter that is absent is told as missing. | contract/parameters | %s is required
defaults | spec §8 | An absent parameter has its documented default. | contract/parameters | %s has its default when absent
null-is-absent | decisions §1 | Empty and \`null\` mean absent where a parameter may be null, and are refused elsewhere. | contract/parameters | %s is absent when empty or null if it may be null, which is refused elsewhere
twice | decisions §1 | A parameter that is given twice is refused. | contract/parameters | %s is refused twice, also with the same value
unknown-parameters | decisions §1 | Unknown parameters are ignored. | http/input | of a parameter that is not documented is ignored
unknown-in-body | decisions §5 | Unknown names in a body are refused. | resources/tags | refuses a body that is %s, for all its faults
no-inner-text | decisions §1 | A fault of ours is 500 and tells nothing of its cause; others are served meanwhile. | http/faults | is 500 with nothing of its cause on both faces, and others are served meanwhile and afterwards
unavailable | decisions §1 | A database that cannot answer is 503 with \`Retry-After\`. | http/faults | is 503 with Retry-After on both faces, and answers come again when it does
too-large | decisions §1 | A request that is too large is 413. | http/input | of 1 MB is 413 with the documented body
content-type | decisions §1 | A body of another content type is 415. | resources/tags | refuses %s with 415

# The network header (spec §4.1)
network | spec §4.1 | \`X-Service-Network\` selects the network of Ethereum, mainnet by default. | http/network-header | selects the network on both faces, mainnet by default
network-values | decisions §1 | Anything but mainnet, hoodi and holesky is 400 at the header. | http/network-header | refuses %s with 400 at ["header","X-Service-Network"] on both faces
network-names | decisions §1 | \`NETWORK_HEADERS\` may add names that older clients send. | http/network-header | has the further names of NETWORK_HEADERS beside it
network-elsewhere | interface §4.1 | It is looked at on every path of Ethereum and on no other. | contract/parameters | looks at the network header where it is of Ethereum, and nowhere else

# Identifiers
hex-case | decisions §1 | Addresses and public keys match in any letter case and are answered in lower case; names match in their own. | resources/operators | matches addresses in any letter case and names in their own
no-such-entity | decisions §1 | An entity that does not exist is 404; one without rows in the range is 200 and empty. | resources/attestations | answers an empty list for an entity without rows, 404 for none

# Pages (spec §9)
v0-envelope | decisions §2 | Lists of v0 answer \`page\`, \`total\`, \`data\` and \`next\`, a relative URL with the effective parameters. | resources/operators | repeats the effective parameters in a relative next
v1-envelope | spec §9 | Lists of v1 answer \`previous\`, \`next\`, \`pages\` and \`results\`; the links keep the query of the caller. | kernel/envelopes | keep the query of the caller and replace limit and offset where they stand
v1-links | decisions §2 | Links of v1 are absolute, on PUBLIC_URL before all others. | http/links | are on PUBLIC_URL before all others
forwarded | decisions §2 | Forwarded headers count from trusted proxies alone. | http/links | are on the scheme and host of the request, whatever is forwarded by strangers
every-row-once | decisions §2 | Following \`next\` gives every row once, in order, while a refresh lands between two pages. | resources/walks | gives every row once, in the order and with the figures of its beginning, by next
every-row-once-graphql | decisions §2 | So do cursors, in both directions. | resources/walks | gives every row once by cursors, forward and back
deep-pages | decisions §2 | A page costs the same wherever it lies. | resources/stake-authorities | of %i costs what the first does

# Time
chain-days | decisions §3 | Chain day N is epochs 225N to 225N + 224, dated by the UTC date on which it starts. | chain | counts days of 225 epochs from genesis
utc-days | decisions §3 | An epoch belongs to the UTC day in which it starts. | chain | puts an epoch into the UTC day in which it starts, one at 23:57 included
utc-since | spec §4.4 | UTC rows exist for dates from 2024-10-01 on. | resources/attestations | is empty before the first UTC date
longer-periods | decisions §3 | Weeks are ISO weeks; months, quarters and years those of the calendar. | chain | begin weeks on Monday, also week 53 and the days before it in January
period-keys | decisions §3 | Hours have \`hour\`, \`day\` and \`date\`; days \`day\` and \`date\`; longer ones start and end; the others are null. | resources/attestations | sets on %s rows the keys that belong to them, the others null
ranges | decisions §3 | Ranges are inclusive; of dates and days given both the narrower counts. | resources/attestations | takes fromDay, toDay, fromDate and toDate inclusively, and the narrower range of both

# Operators (spec §4.2, 4.3)
operators-order | decisions §4 | Operators come by network penetration descending, nulls last, then validator count, then id. | resources/operators | orders by network penetration descending with nulls last, then validator count descending, then id
pool-type | spec §4.2 | \`poolType\` narrows pools to exchanges and liquid staking. | resources/operators | narrows pools to exchanges and liquid staking by their tags
parent | spec §4.2 | \`parentId\` gives the pool shares of a pool or node operator, whatever \`idType\` says. | resources/operators | answers the pool shares of a pool or a node operator for parentId, whatever idType says
parent-entity | decisions §7 | \`parentEntity\` is deprecated and answered with a \`Deprecation\` header. | resources/operators | answers parentEntity like parentId, with a Deprecation header
infer-class | spec §4.3 | \`idType\` is inferred for pools, pool shares and node operators; an address is a deposit address. | resources/operators | infers pools, node operators and pool shares, and takes an address as a deposit address

# Attestations (spec §4.4)
attestations-sort | decisions §4 | Attestations sort by each of their fields, ties by period; another is refused with the list of them. | resources/attestations | lists what results can be sorted by when it refuses
attestations-sums | decisions §3 | Longer periods are sums of days, means weighted by validators, and the last of balances. | resources/attestations-differential | %s: every granularity in both calendars
no-sync-duty | decisions §4 | Sums of sync signatures are null without sync duty. | resources/attestations-edges | without sync duty has null sums, and those of its other days where it has some

# Slashings (spec §4.5)
slashings-order | decisions §4 | Slashings ascend by epoch and validator. | resources/slashings | orders by slashing epoch and validator index, and every row comes once at any page size
slashings-from | spec §4.5 | \`from\` is a chain day or a moment, which counts itself. | resources/slashings | lists from a moment on, which counts itself
slashings-page | decisions §4 | \`page.from\` and \`page.to\` are the chain days of the first asked and the last returned. | resources/slashings | gives page.from and page.to as the chain days of the first asked and the last returned
penalty | decisions §4 | A penalty is the balance before slashing less that before withdrawal. | resources/slashings | has a penalty that is the difference of the balances

# Sync committee rewards (spec §4.6)
sync-rewards | decisions §4 | Rewards are signed Gwei as text, ascending by validator, one row a seat. | resources/sync-committee-rewards | has one row for each seat, ascending by validator index, so that some validators come twice
sync-empty-slot | decisions §4 | A slot without a block is 200 and empty, one after the head 404. | resources/sync-committee-rewards | answers 200 and nothing for a slot without a block, and 404 for one after the head

# Solana (spec §4.7, 4.8)
overview-order | decisions §4 | The overview has one record a window in the order 1d, 7d, 30d, all. | resources/solana-overview | answers one record a window in the order 1d, 7d, 30d, all, with the documented keys in order
authority-types | decisions §4 | \`type\` is \`pool\`, which have a poolName, or \`individual\`, which have none. | resources/stake-authorities | narrows to pools, which have a poolName, and to individuals, which have none
solana-v0 | decisions §7 | Solana below v0 answers with \`Deprecation\` and a \`Link\` to its successor, also when it refuses. | resources/solana-overview | v0 says that it is deprecated and by what, also when it refuses; v1 does not

# The further endpoints (spec §4.9)
blocks-order | decisions §5 | Blocks descend from the slot of \`from\`, by default from the newest. | resources/blocks | begins with the slot of from, or the next stored one below it
blocks-missed | decisions §5 | A missed slot shows its proposer and what it lost, and null for what only a block has. | resources/blocks | shows a missed slot: its proposer and what it lost, and null for what only a block has
blocks-fresh | decisions §5 | A new block is served within a second of being stored. | resources/blocks | is served within a second of being stored, on every path and both faces
daily-from | decisions §5 | \`from\` of chain daily rewards is a chain day, a date or a moment. | resources/chain-daily-rewards | goes down from a chain day, its date or a moment in it
daily-never-500 | spec §7 | It is an answer or a 400 that helps, whatever is given. | resources/chain-daily-rewards | refuses %s=%s with 400 naming it
consolidation-filters | decisions §5 | Consolidations narrow to a validator or an entity on either side. | resources/consolidations | narrows to a validator on either side, by index and by public key in any case
entity-consolidations | decisions §5 | By source entity they come by balance, largest first. | resources/consolidation-totals | answers node operators by balance, largest first, when nothing is asked
churn | decisions §5 | Capacity is the churn limit of Electra over the epochs of the window. | churn | are whole ETH, never below 0, and split the limit of the balance
capacity | decisions §5 | Capacity has one record a window, and what is filled of it. | resources/consolidation-totals | answers one record a window, as a plain loop gives it, in two statements
daily-networks | decisions §5 | Daily rewards are of seven networks; another name is 404. | resources/network-rewards | %s is 404 on both paths

# Private sets
tag-made | decisions §5 | A tag is made by POST and answered with 201. | resources/tags | makes a tag and answers it
tag-limits | spec §8 | Tags are limited by tier: build 4, growth 20, free and starter none (403). | resources/tags | of the %s tier is none
tag-call | decisions §5 | A call adds at most 1,000 validators. | resources/tags | are at most 1,000 a call
tag-size | decisions §5 | A tag has at most 15,000 validators. | resources/tags | are at most 15,000 a tag
tag-past | decisions §5 | A removed validator still counts in the past of its set. | resources/private-sets-differential | with members added and removed in between, in both calendars and every granularity
tag-owner | decisions §5 | Another account's set is 404. | resources/private-sets-security | is 404 as an entity
idempotency | decisions §5 | A POST with an Idempotency-Key is done once and answered the same again. | http/idempotency | asked again gets the first answer, marked, and does nothing

# Tiers and metering (spec §8)
units | spec §8 | \`X-Service-Compute-Units\` tells the base of the path and its weight for each row. | accounts/units | is the base of the path and its weight for each row answered
units-of-errors | decisions §6 | Errors of the caller cost 1, those of ours nothing. | accounts/units | is 0 where nothing was answered: 401, 402, 429, and faults of ours
units-table | decisions §6 | The weights are one table, shown in the reference. | contract/compute-units | is in the API reference, at each operation
graphql-cost | decisions §6 | GraphQL costs what the calls that it replaces cost. | accounts/units | are charged the same: %s
rate | spec §8 | Over the rate of the account is 429; free and starter have two requests a second. | accounts/rates | of the %s tier lets two requests a second pass
rate-fields | decisions §6 | Answers tell what is left in the RateLimit fields. | accounts/rates | is told in the RateLimit fields of each answer
allowance-free | spec §8 | The free tier has 100,000 compute units for life. | accounts/allowance | is 100,000 units for life: no month gives more
allowance-starter | spec §8 | The starter tier has 100,000 a month; used up is 402. | accounts/allowance | is 100,000 units, then both faces are 402 until the month turns over
`;

export const rules: Rule[] = lines
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [name, from, rule, file, title] = line.split(' | ') as [string, string, string, string, string];
    return { name, from, rule, test: [file, title] };
  });
