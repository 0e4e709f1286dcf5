// The limit: node:http, pg and JSON.stringify of the same rows, without GraphQL, routes, checks or headers. The path names
// the case. With MEMORY=on the same bytes come from memory, which is the limit of any cache.
import { createServer } from 'node:http';
import { attestations, operator, operators, operatorsFew, records, stakeAuthorities } from './tables.mjs';

const nodes = async (rows) => ({ nodes: await rows });

// How each case is answered, from a rank on (or of the operator of this number), and for the attestations of so many
// operators so many days each.
const asked = {
  operators15: async (from) => ({
    operators: await nodes(operators({ idType: 'nodeOperator', window: '7d', first: 15, after: from - 1 })),
  }),
  operators15of4: async (from) => ({
    operators: await nodes(
      operatorsFew({ idType: 'nodeOperator', window: '7d', first: 15, after: from - 1 }),
    ),
  }),
  authorities: async (from, first) => ({
    stakeAuthorities: await nodes(stakeAuthorities({ window: '7d', first, after: from - 1 })),
  }),
  attestations: async (from, width, first) => {
    const parents = await operatorsFew({
      idType: 'nodeOperator',
      window: '7d',
      first: width,
      after: from - 1,
    });
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
  records: async (number) => ({ results: await records(`nodeOperator ${number}`, 'nodeOperator', 30) }),
  summary: async (number) => ({
    operator: await operator({ operatorId: `nodeOperator ${number}`, idType: 'nodeOperator', window: '7d' }),
  }),
  dashboard: async (from) => {
    const first = { window: '7d', first: 5, after: from - 1 };
    const [pools, nodeOperators, authorities] = await Promise.all([
      operators({ idType: 'pool', ...first }),
      operators({ idType: 'nodeOperator', ...first }),
      stakeAuthorities(first),
    ]);
    return {
      pools: { nodes: pools },
      nodeOperators: { nodes: nodeOperators },
      stakeAuthorities: { nodes: authorities },
    };
  },
};

const memory = process.env.MEMORY === 'on' ? new Map() : undefined;

/** `path` is the name of a case, where it begins, and how much of it. */
async function bytesOf(path) {
  const kept = memory?.get(path);
  if (kept) return kept;
  const [name, ...numbers] = path.split('/');
  const bytes = Buffer.from(JSON.stringify({ data: await asked[name](...numbers.map(Number)) }));
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
