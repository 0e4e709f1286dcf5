// Each path and field of a running gateway, with each filter and order, on first and last pages: what PostgreSQL uses for it.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { fieldTexts, pathTexts } from '../calls.mjs';
import { cpuOfBackends } from './backends.mjs';

/** Reads all days of its range, so no bound of a request holds for it: bench:ranking measures it. */
const READS_ALL = /^\{ validatorRanking\b|^\/v1\/eth\/validators\/ranking\b/;
/** Codes of a request that was not answered although it may be made. */
const FAILED = new Set(['INTERNAL', 'UNAVAILABLE']);
/** Of those that took so much the first time, when their statements were planned, the mean of later times counts. */
const AGAIN_MS = 50;
const PAGE = 20;

const encoded = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]));

/** The values that find most: those of the large pool, since a day a third of whose consolidations are earlier. */
function valuesOf({ pool, fromDay, slot, date }) {
  const literals = {
    ...{ operatorId: JSON.stringify(pool), parentId: JSON.stringify(pool), idType: 'POOL', window: 'ALL' },
    ...{ query: '"op"', text: '"op"', slashed: 'false', fromDate: JSON.stringify(date) },
    ...{ fromDay: String(fromDay), fromEpoch: String(fromDay * 225), fromSlot: String(slot) },
  };
  const inPath = encoded({
    ...{ operator_id: pool, entity_id: pool, consensus_slot: String(slot), day: String(fromDay) },
  });
  const inQuery = {
    ...encoded({ parentId: pool, fromDay: String(fromDay), fromDate: date, window: 'all' }),
    entityId: `${encodeURIComponent(pool)}&entityType=pool`,
  };
  return { literals, paths: { inPath, inQuery } };
}

function* documents(schema, literals) {
  const operator = `operator(operatorId: ${literals.operatorId}, idType: POOL)`;
  const fields = [...fieldTexts(schema.getQueryType(), literals)];
  const below = [...fieldTexts(schema.getType('Operator'), literals)].map(
    (text) => `${operator} { ${text} }`,
  );
  for (const text of [...fields, ...below]) {
    const page = text.replace('first: 1', `first: ${PAGE}`);
    yield `{ ${page} }`;
    if (text.includes('first: 1') && !text.includes('totalCount'))
      yield `{ ${text.replace('first: 1', `last: ${PAGE}`)} }`;
  }
}

/** The same path at its last page, if it has pages and so many rows. */
function lastPage(path, document, body) {
  const total = body?.page?.total ?? body?.total;
  if (!(total > 2 * PAGE)) return undefined;
  const [own] = path.split('?');
  const pattern = Object.keys(document.paths).find((known) =>
    new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(own),
  );
  const names = (document.paths[pattern]?.get.parameters ?? []).map(({ name }) => name);
  for (const [from, size] of [
    ['from', 'size'],
    ['offset', 'limit'],
  ])
    if (names.includes(from) && names.includes(size))
      return `${path}&${from}=${total - PAGE}&${size}=${PAGE}`;
  return undefined;
}

/**
 * Calls `note` with `{ request, cpu, units }` for each that is answered; `cpu` is in ms. Returns how many were answered, and
 * how many refused, which are those that combine what may not be combined.
 */
export async function measureRequests({ run, base, token, values, times, only, note }) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const counts = { answered: 0, refused: 0 };
  const sent = async (request) => {
    const response = request.startsWith('/')
      ? await fetch(base + request, { headers })
      : await fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: request }) });
    const body = await response.json();
    if (response.status >= 500 || body.errors?.some(({ extensions }) => FAILED.has(extensions?.code)))
      throw new Error(`${request}: ${JSON.stringify(body).slice(0, 300)}`);
    const isAnswered = response.status === 200 && !body.errors;
    return { isAnswered, body, units: Number(response.headers.get('x-service-compute-units')) };
  };
  const measure = async (request) => {
    if (!request.includes(only) || READS_ALL.test(request)) return undefined;
    let { cpu, result } = await cpuOfBackends(run, 1, () => sent(request));
    if (!result.isAnswered) {
      counts.refused += 1;
      return undefined;
    }
    if (cpu > AGAIN_MS) ({ cpu } = await cpuOfBackends(run, times, () => sent(request)));
    counts.answered += 1;
    note({ request, cpu, units: result.units });
    return result.body;
  };
  const { literals, paths } = valuesOf(values);
  const openapi = await (await fetch(`${base}/openapi.json`)).json();
  for (const path of pathTexts(openapi, paths)) {
    const last = lastPage(path, openapi, await measure(path));
    if (last) await measure(last);
  }
  const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));
  for (const document of documents(schema, literals)) await measure(document);
  return counts;
}
