import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// What callers ask for at the same time may be read together: each has the answer that it would have had alone.

let gateway: Gateway;
let cached: Gateway;
const said: string[] = [];
beforeAll(async () => {
  [gateway, cached] = await Promise.all([
    startGateway({ log: pino({ level: 'warn' }, { write: (line) => said.push(line) }) }),
    startGateway({ settings: { CACHE: true } }),
  ]);
  await eventually(() => expect(cached.revisions.trusted()).toBe(true));
});
afterAll(() => Promise.all([gateway.close(), cached.close()]));

type Asked = { path: string } | { query: string; variables: object };

/** Some hundred questions on both APIs: the same of different operators, authorities, slots and pages, and others. */
async function questions(): Promise<Asked[]> {
  const { data } = await gateway.graphql(`{
    operators(window: SEVEN_DAYS, idType: POOL, first: 8) { nodes { operatorId } }
    stakeAuthorities(window: SEVEN_DAYS, first: 8) { nodes { stakeAuthority } }
    blocks(first: 8) { nodes { consensusSlot validatorIndex } }
    slashings(first: 8) { nodes { validatorIndex } }
  }`);
  const figures =
    'operatorId summary(window: SEVEN_DAYS) { validatorCount aprPercentage clientPercentages { client ratio } }';
  const pools = data.operators.nodes.flatMap(({ operatorId: id }: any, rank: number): Asked[] => [
    { path: `/v0/eth/operators/${encodeURIComponent(id)}/summary?window=7d&idType=pool` },
    { path: `/v0/eth/operators/${encodeURIComponent(id)}/summary?window=7d` },
    { path: `/v0/eth/operators?window=7d&idType=pool&from=${rank}&size=5` },
    { path: `/v0/eth/operators?window=7d&parentId=${encodeURIComponent(id)}` },
    { path: `/v1/eth/entities/${encodeURIComponent(id)}/attestations?entityType=pool&limit=7` },
    {
      query: `query ($id: String!) { operator(operatorId: $id, idType: POOL) { ${figures} } }`,
      variables: { id },
    },
    {
      query: `query ($n: Int!) { operators(window: SEVEN_DAYS, idType: POOL, first: $n) { totalCount
        nodes { operatorId poolShares(window: SEVEN_DAYS, first: 2) { totalCount nodes { operatorId } }
          attestations(last: 3) { nodes { day sumCorrectHead } } slashings(first: 2) { nodes { validatorIndex } } } } }`,
      variables: { n: rank + 1 },
    },
  ]);
  const authorities = data.stakeAuthorities.nodes.flatMap(
    ({ stakeAuthority }: any, rank: number): Asked[] => [
      { path: `/v1/solana/delegators/stakeAuthorities?window=7d&offset=${rank}&limit=3` },
      {
        query: `query ($id: String!) { stakeAuthority(stakeAuthority: $id) {
          stakeAuthority summary(window: SEVEN_DAYS) { delegatorApy delegations { validatorName ratio } } } }`,
        variables: { id: stakeAuthority },
      },
    ],
  );
  const blocks = data.blocks.nodes.flatMap(({ consensusSlot, validatorIndex }: any): Asked[] => [
    { path: `/v0/eth/blocks/${consensusSlot}` },
    {
      query: `query ($slot: Int!, $index: Int!) { block(slot: $slot) { consensusSlot validatorIndex
        syncCommitteeRewards(first: 3) { totalCount nodes { validatorIndex } } }
        validator(by: { index: $index }) { validatorIndex proposedBlocks(first: 3) { totalCount nodes { consensusSlot } } } }`,
      variables: { slot: consensusSlot, index: validatorIndex },
    },
  ]);
  const slashings = data.slashings.nodes.map(
    ({ validatorIndex: index }: any): Asked => ({
      query: 'query ($index: Int!) { slashing(by: { index: $index }) { validatorIndex slashingEpoch } }',
      variables: { index },
    }),
  );
  return [...pools, ...authorities, ...blocks, ...slashings];
}

/** The requests as they go over the wire, the answers as they come: status, compute units, tag, time of the data, body. */
async function askAll(of: Gateway, all: readonly Asked[]) {
  const { hostname, port } = new URL(of.url);
  const sockets = await Promise.all(
    all.map(async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.write(`GET /health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
      await once(socket, 'data'); // taken by the gateway, which takes one connection a turn
      return socket;
    }),
  );
  // All within one turn of the event loop, so that the gateway finds them together.
  const answers = sockets.map((socket, index) => {
    const asked = all[index] as Asked;
    const body = 'path' in asked ? '' : JSON.stringify(asked);
    const head = [
      'path' in asked ? `GET ${asked.path} HTTP/1.1` : 'POST /graphql HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${of.token}`,
      'Connection: close',
      ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return text(socket);
  });
  return (await Promise.all(answers)).map((answer, index) => {
    const end = answer.indexOf('\r\n\r\n');
    const header = (name: string) => new RegExp(`\r\n${name}: (.*)`, 'i').exec(answer.slice(0, end))?.[1];
    return {
      asked: all[index],
      status: Number(answer.slice(9, 12)),
      units: header('x-service-compute-units'),
      tag: header('etag'),
      modified: header('last-modified'),
      body: answer.slice(end + 4),
    };
  });
}

/** One after the other. */
async function askEach(of: Gateway, all: readonly Asked[]) {
  const answers: Awaited<ReturnType<typeof askAll>> = [];
  for (const one of all) answers.push(...(await askAll(of, [one])));
  return answers;
}

/** What is run, and the names of the statements of it. */
async function statementsOf<T>(
  of: Gateway,
  run: () => Promise<T>,
): Promise<{ found: T; statements: string[] }> {
  of.statements.length = 0;
  const found = await run();
  return { found, statements: [...of.statements] };
}

slow('is read together, and answered as if it were asked alone', async () => {
  const asked = await questions();
  expect(asked.length).toBeGreaterThan(80);
  await askEach(gateway, asked); // a query that comes for the second time is compiled, and reads rows in another way
  const alone = await statementsOf(gateway, () => askEach(gateway, asked));
  expect(alone.found.filter(({ status }) => status !== 200)).toEqual([]);
  const together = await statementsOf(gateway, () => askAll(gateway, asked));
  expect(together.found).toEqual(alone.found);
  expect(together.statements.length).toBeLessThan(alone.statements.length);
  expect(said).toEqual([]); // no statement of several failed
});

it('is kept for whoever asked it, under the data that it was read from', async () => {
  const asked = (await questions()).filter((one) => 'path' in one);
  const first = await askAll(cached, asked);
  const again = await statementsOf(cached, () => askEach(cached, asked));
  expect(again.found).toEqual(first);
  expect(again.statements).toEqual([]);
  expect(first.every(({ tag, modified }) => tag && modified)).toBe(true);
});
