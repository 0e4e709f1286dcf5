// Who is measured: how each is started, and the request by which each is asked a case.
import pg from 'pg';
import { PLACES, postgraphileCursorQuery } from './cases.mjs';
import { requestBytes } from './load.mjs';
import { startServer } from './processes.mjs';

const gateway = (cache) => (database, settings) =>
  startServer(
    '../../dist/main.js',
    { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'warn', CACHE: cache, ...settings },
    ['serve'],
  );
const written = (name, env) => (database) =>
  startServer(`contenders/${name}.mjs`, {
    BENCH_DATABASE_URL: database.url,
    ...env,
  });

const ask = {
  gateway: (asked, { token }) => ({
    path: '/graphql',
    headers: { Authorization: `Bearer ${token}` },
    body: asked.document,
  }),
  plain: (asked) => ({ path: '/graphql', body: asked.plain ?? asked.document }),
  apollo: (asked) => ({ path: '/', body: asked.plain ?? asked.document }),
  postgraphile: (asked) => ({ path: '/graphql', body: asked.postgraphile }),
  hand: (asked) => ({ path: `/${asked.path}` }),
};
const rest = {
  gateway: (asked, { token }) => ({ path: asked.url, headers: { Authorization: `Bearer ${token}` } }),
  hand: ask.hand,
};

/** `base` is what the others are compared with. `rest`: how it is asked a case of REST, where it has one. */
export const contenders = [
  { name: 'gateway, cache off', base: true, start: gateway('off'), graphql: ask.gateway, rest: rest.gateway },
  { name: 'gateway, cache on', start: gateway('on'), graphql: ask.gateway, rest: rest.gateway },
  { name: 'by hand', start: written('hand'), graphql: ask.hand, rest: rest.hand },
  { name: 'bytes from memory', start: written('hand', { MEMORY: 'on' }), graphql: ask.hand, rest: rest.hand },
  { name: 'Mercurius, JIT', start: written('mercurius'), graphql: ask.plain },
  { name: 'Apollo Server 5', start: written('apollo'), graphql: ask.apollo },
  { name: 'PostGraphile 5', start: written('postgraphile'), graphql: ask.postgraphile },
];

/** The requests of a contender for a case, one for each place; undefined where it is not asked such. */
export function requestsFor(contender, { at }, database) {
  const requests = Array.from({ length: PLACES }, (_, index) => {
    const asked = at(index + 1);
    const request = asked.url ? contender.rest?.(asked, database) : contender.graphql(asked, database);
    return request && { ...request, method: request.body ? 'POST' : 'GET' };
  });
  return requests[0] && requests;
}

/**
 * Asks for every place once, and throws when an answer does not hold the rows that it has to: what is measured is the right
 * answer. Tells how long the first is.
 */
export async function check({ name }, { port }, requests, { key, rows, name: asked }) {
  const lengths = [];
  for (const { method, path, headers, body } of requests) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}), connection: 'close' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const found = text.split(`"${key}":`).length - 1;
    if (response.status !== 200 || found !== rows || text.includes('"errors":'))
      throw new Error(
        `${name}, ${asked}: ${response.status} with ${found} of ${rows} rows: ${text.slice(0, 400)}`,
      );
    lengths.push(text.length);
  }
  return lengths[0];
}

/** The bytes of requests, as the load sends them. */
export const bytesOf = (requests) => requests.map(requestBytes);

/** What cases have to know of the data: the stored lists and summaries, and cursors of PostGraphile (none where it does not run). */
export async function placesIn(database, depth, postgraphile) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client
    .query(
      `select id_type as name, list_id from operator_lists where time_window = '7d'
       union all select operator_id, summary_id from operator_summaries
       where id_type = 'nodeOperator' and time_window = '7d'
       union all select 'authorities', list_id from stake_authority_lists where time_window = '7d'`,
    )
    .finally(() => client.end());
  const lists = Object.fromEntries(rows.map((row) => [row.name, row.list_id]));
  const postgraphileCursors = {};
  for (let place = 1; postgraphile && place <= PLACES; place += 1) {
    const response = await fetch(`http://127.0.0.1:${postgraphile.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ query: postgraphileCursorQuery(lists.authorities, depth + place - 1) }),
    });
    postgraphileCursors[place] = (await response.json()).data.allStakeAuthorityRanks.pageInfo.endCursor;
  }
  return { lists, postgraphileCursors };
}
