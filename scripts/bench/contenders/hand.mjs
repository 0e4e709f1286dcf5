// The limit: node:http, pg and JSON.stringify of the same rows, without GraphQL, routes, checks or headers. The path names
// the case. With MEMORY=on the same bytes come from memory, which is the limit of any cache.
import { createServer } from 'node:http';
import { attestations, operator, operators, operatorsFew, records, stakeAuthorities } from './tables.mjs';

const nodes = async (rows) => ({ nodes: await rows });

const asked = {
  operators15: async () => ({
    operators: await nodes(operators({ idType: 'nodeOperator', window: '7d', first: 15 })),
  }),
  operators15of4: async () => ({
    operators: await nodes(operatorsFew({ idType: 'nodeOperator', window: '7d', first: 15 })),
  }),
  authorities200: async () => ({
    stakeAuthorities: await nodes(stakeAuthorities({ window: '7d', first: 200 })),
  }),
  attestations: async ({ width = 10, first = 30 }) => {
    const parents = await operatorsFew({ idType: 'nodeOperator', window: '7d', first: width });
    const days = await attestations(
      parents.map((row) => row.operatorId),
      'nodeOperator',
      first,
    );
    return {
      operators: {
        nodes: parents.map(({ operatorId }, index) => ({ operatorId, attestations: { nodes: days[index] } })),
      },
    };
  },
  records: async () => ({ results: await records('nodeOperator 7', 'nodeOperator', 30) }),
  summary: async () => ({
    operator: await operator({ operatorId: 'nodeOperator 7', idType: 'nodeOperator', window: '7d' }),
  }),
  deep: async ({ depth }) => ({
    stakeAuthorities: await nodes(stakeAuthorities({ window: '7d', first: 15, after: depth - 1 })),
  }),
  dashboard: async () => {
    const [pools, nodeOperators, authorities] = await Promise.all([
      operators({ idType: 'pool', window: '7d', first: 5 }),
      operators({ idType: 'nodeOperator', window: '7d', first: 5 }),
      stakeAuthorities({ window: '7d', first: 5 }),
    ]);
    return {
      pools: { nodes: pools },
      nodeOperators: { nodes: nodeOperators },
      stakeAuthorities: { nodes: authorities },
    };
  },
};

const depth = Number(process.env.BENCH_DEPTH);
const memory = process.env.MEMORY === 'on' ? new Map() : undefined;

/** `path` is the name of a case, and how many rows of what, where that is not always the same. */
async function bytesOf(path) {
  const kept = memory?.get(path);
  if (kept) return kept;
  const [name, width, first] = path.split('/');
  const sizes = width ? { width: Number(width), first: Number(first) } : {};
  const bytes = Buffer.from(JSON.stringify({ data: await asked[name]({ depth, ...sizes }) }));
  memory?.set(path, bytes);
  return bytes;
}

const server = createServer(async (request, response) => {
  for await (const _ of request); // the body is read, and not looked at
  try {
    const bytes = await bytesOf(request.url.slice(1));
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
      .end(bytes);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${server.address().port}`));
