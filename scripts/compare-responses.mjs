// Compares the responses of a gateway before and after a change of its database (docs/distributed.md):
//   TOKEN=… node scripts/compare-responses.mjs save http://127.0.0.1:4000 before.json
//   TOKEN=… node scripts/compare-responses.mjs compare http://127.0.0.1:4000 before.json
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const USAGE =
  'Usage: TOKEN=… [NETWORKS=mainnet,hoodi] node scripts/compare-responses.mjs save|compare URL FILE';
const PAGES = 3;
const OWNERS = 5;
const VALIDATORS = 20;
const BLOCKS = 5;
const ATTEMPTS = 60;
const classes = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool', 'poolShare'];
const membership = classes.filter((idType) => idType !== 'poolShare');
const windows = ['1d', '7d', '30d', 'all'];
const granularities = ['day', 'week', 'month', 'all'];

const [command, base, file] = process.argv.slice(2);
const token = process.env.TOKEN;
const networks = (process.env.NETWORKS ?? 'mainnet').split(',');

class Failure extends Error {}

/** A gateway behind another address, or with sets of its own, answers the same. Maps ids of sets to their names. */
const sets = new Map();
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const masked = (text) =>
  text
    .replaceAll(/https?:\/\/[^"\s]*?(?=\/v[01]\/)/g, 'http://gateway')
    .replaceAll(UUID, (id) => (sets.has(id) ? `set ${sets.get(id)}` : id));

/** Of this gateway: the path of a saved request has the ids of the other one. */
function withOwnSets(path, saved) {
  return path.replaceAll(UUID, (id) => {
    const own = saved[id] && [...sets].find(([, name]) => name === saved[id])?.[0];
    if (saved[id] && !own)
      throw new Failure(`The gateway has no private set named ${saved[id]}: make it first.`);
    return own ?? id;
  });
}

async function request({ path, network, body }) {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL(path, base), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-service-network': network,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await response.text();
    if (response.status === 401) throw new Failure('The gateway refuses TOKEN.');
    if ((response.status === 429 || response.status === 503) && attempt < ATTEMPTS) {
      await sleep(1_000 * (Number(response.headers.get('retry-after')) || 1));
      continue;
    }
    // The compute units that the token has left differ from one request to the next.
    return { status: response.status, text: text.replace(/"remaining":\d+/g, '"remaining":0') };
  }
}

const graphql = (network, query) => ({ path: '/graphql', network, body: { query } });

async function found(network, query) {
  const { text } = await request(graphql(network, query));
  const { data, errors } = JSON.parse(text);
  if (errors) throw new Failure(`A list could not be read: ${errors[0].message}`);
  return data;
}

const constant = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const figures = [
  ...granularities.flatMap((granularity) => [
    `attestations_${granularity}: attestations(granularity: ${constant(granularity)}, first: 50) { totalCount nodes {
      startEpoch endEpoch totalUniqueAttestations sumMissedAttestations sumEndEpochBalance avgAttesterEffectiveness } }`,
    `rewards_${granularity}: rewards(granularity: ${constant(granularity)}, last: 50) { totalCount nodes {
      startEpoch sumRewards sumExecutionRewards } pageInfo { hasPreviousPage } }`,
  ]),
  'effectiveness(orderBy: { field: AVG_UPTIME }, first: 10) { nodes { startEpoch avgUptime avgCorrectness avgInclusionDelay } }',
  'proposals(first: 10) { nodes { startEpoch proposedCount missedProposalCount } }',
  'utc: attestations(utc: true, last: 10) { totalCount nodes { startEpoch endEpoch totalUniqueAttestations } }',
].join(' ');

const overview = `startEpoch endEpoch aprPercentage avgValidatorEffectiveness missedProposalCount participationRatio proposedCount
  sumConsensusRewards sumEndEpochBalance sumEndEpochEffectiveBalance sumExecutionRewards`;

/** Of the network as a whole, and of its consolidations. */
function ofNetwork(network) {
  const given = `network: ${constant(network)}`;
  const paths = ['/v1/eth/validators/consolidations?limit=100', '/v1/eth/consolidationCapacity'];
  for (const entityType of membership) {
    paths.push(`/v1/eth/entityConsolidations?entityType=${entityType}&limit=100`);
    for (const window of windows)
      paths.push(`/v1/eth/consolidationCapacity/entity?entityType=${entityType}&window=${window}&limit=100`);
  }
  const documents = granularities.map(
    (granularity) =>
      `{ consolidationHistory(${given}, granularity: ${constant(granularity)}, last: 50) { totalCount nodes {
          startEpoch endEpoch consolidationCount consolidatedBalance capacity capacityFilled } } }`,
  );
  for (const window of ['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL'])
    documents.push(
      `{ networkOverview(${given}, window: ${window}) { ${overview} clients { client validatorCount }
          ${granularities.map((granularity) => `${granularity}: history(granularity: ${constant(granularity)}, last: 50) { nodes { ${overview} } }`).join(' ')} } }`,
    );
  return { paths, documents };
}

/** What is requested, from what the gateway has. */
async function requestsOf(network) {
  const wanted = [
    '/v0/eth/slashings?size=100',
    '/v0/eth/network/chainDailyRewards?size=100',
    '/v0/eth/blocks?size=100',
  ];
  const { paths, documents } = ofNetwork(network);
  wanted.push(...paths);
  for (const idType of classes) {
    for (const window of windows) wanted.push(`/v0/eth/operators?idType=${idType}&window=${window}&size=100`);
    const { operators } = await found(
      network,
      `{ operators(idType: ${constant(idType)}, window: ALL, first: ${OWNERS}, network: ${constant(network)}) { nodes { operatorId } } }`,
    );
    for (const { operatorId } of operators.nodes) {
      const id = encodeURIComponent(operatorId);
      for (const window of windows)
        wanted.push(`/v0/eth/operators/${id}/summary?idType=${idType}&window=${window}`);
      for (const granularity of ['hour', ...granularities])
        wanted.push(
          `/v1/eth/entities/${id}/attestations?entityType=${idType}&granularity=${granularity}&limit=100`,
        );
      documents.push(
        `{ operator(operatorId: ${JSON.stringify(operatorId)}, idType: ${constant(idType)}, network: ${constant(network)}) { ${figures}
          validators(first: 5) { nodes { validatorIndex rewards(last: 3) { totalCount nodes { startEpoch sumRewards } } } } } }`,
      );
    }
  }
  const { blocks, validators, newest, privateSets } = await found(
    network,
    `{ blocks(first: ${BLOCKS}, network: ${constant(network)}) { nodes { consensusSlot } }
      validators(first: ${VALIDATORS}, network: ${constant(network)}) { nodes { validatorIndex } }
      newest: validators(last: ${VALIDATORS}, network: ${constant(network)}) { nodes { validatorIndex } }
      privateSets(first: ${OWNERS}, network: ${constant(network)}) {
        nodes { setId name validators(first: ${VALIDATORS}) { nodes { validatorIndex } } } } }`,
  );
  const members = privateSets.nodes.flatMap((set) => set.validators.nodes);
  const indices = [...validators.nodes, ...newest.nodes, ...members].map((one) => one.validatorIndex);
  for (const validatorIndex of new Set(indices))
    documents.push(
      `{ validator(by: { index: ${validatorIndex} }, network: ${constant(network)}) { ${figures} } }`,
    );
  for (const { consensusSlot } of blocks.nodes)
    wanted.push(
      `/v0/eth/blocks/${consensusSlot}`,
      `/v0/eth/blocks/${consensusSlot}/syncCommitteeRewards?limit=512`,
    );
  for (const { setId } of privateSets.nodes)
    for (const figure of ['attestations', 'effectiveness', 'proposals', 'rewards'])
      for (const granularity of granularities)
        wanted.push(`/v1/eth/sets/${setId}/${figure}?granularity=${granularity}&limit=100`);
  return [...wanted.map((path) => ({ path, network })), ...documents.map((query) => graphql(network, query))];
}

/** Without the address, so that the page is requested of whichever gateway is asked. */
const nextOf = ({ text }) => {
  try {
    const { pathname, search } = new URL(JSON.parse(text).next);
    return pathname + search;
  } catch {
    return undefined;
  }
};

/** Whether a list in the body has entries, or the body is a record without lists. */
function hasRows({ status, text }) {
  if (status !== 200) return false;
  const lists = [];
  let leaves = 0;
  const walk = (value) => {
    if (Array.isArray(value)) lists.push(value.length);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
    else if (value !== null) leaves += 1;
  };
  try {
    walk(JSON.parse(text));
  } catch {
    return false;
  }
  return lists.length > 0 ? lists.some((length) => length > 0) : leaves > 0;
}

async function readSets() {
  for (const network of networks) {
    const { privateSets } = await found(
      network,
      `{ privateSets(first: 100, network: ${constant(network)}) { nodes { setId name } } }`,
    );
    for (const { setId, name } of privateSets.nodes) sets.set(setId, name);
  }
}

async function save() {
  await readSets();
  const saved = [];
  for (const network of networks) {
    for (const wanted of await requestsOf(network)) {
      let asked = wanted;
      for (let page = 1; asked && page <= PAGES; page += 1) {
        const response = await request(asked);
        saved.push({ ...asked, ...response, text: masked(response.text) });
        const next = wanted.body ? undefined : nextOf(response);
        asked = next && { path: next, network };
      }
    }
  }
  const ok = saved.filter(({ status }) => status === 200).length;
  if (ok === 0) throw new Failure('No request was answered with 200: nothing was saved.');
  writeFileSync(file, JSON.stringify({ sets: Object.fromEntries(sets), saved }));
  const rows = saved.filter(hasRows).length;
  process.stdout.write(
    `Saved ${saved.length} responses, ${ok} of them with status 200 and ${rows} with rows.\n`,
  );
}

const excerpt = (text, at) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));

async function compare() {
  const { sets: others, saved } = JSON.parse(readFileSync(file, 'utf8'));
  await readSets();
  let [different, equal, empty] = [0, 0, 0];
  for (const before of saved) {
    const { status, text } = await request({ ...before, path: withOwnSets(before.path, others) });
    const after = { status, text: masked(text) };
    if (after.status === before.status && after.text === before.text) {
      if (hasRows(before)) equal += 1;
      else empty += 1;
      continue;
    }
    different += 1;
    let at = 0;
    while (at < before.text.length && before.text[at] === after.text[at]) at += 1;
    const name = before.body ? before.body.query.replace(/\s+/g, ' ').slice(0, 120) : before.path;
    process.stdout.write(
      `${before.network} ${name}\n  before: ${before.status} ${excerpt(before.text, at)}\n  after:  ${after.status} ${excerpt(after.text, at)}\n`,
    );
  }
  process.stdout.write(
    `Of ${saved.length} responses, ${equal} have rows and are equal, ${different} differ, and ${empty} have no rows on either side, which compares nothing.\n`,
  );
  if (different > 0) process.exitCode = 1;
  else if (equal === 0) throw new Failure('No response had rows: nothing was compared.');
}

try {
  if (!token || !file || !URL.canParse(base) || !['save', 'compare'].includes(command))
    throw new Failure(USAGE);
  await (command === 'save' ? save() : compare());
} catch (error) {
  process.stderr.write(
    `${error instanceof Failure ? error.message : `${error.message}: ${error.cause?.message ?? ''}`}\n`,
  );
  process.exitCode = 2;
}
