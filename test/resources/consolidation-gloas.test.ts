import { beforeEach, describe, expect, it } from 'vitest';
import { epochsOfDay } from '../../src/chain/calendar.ts';
import { openStore } from '../../src/indexer/store/index.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

const ETH = 1_000_000_000n;
const DAY = 1_777;
/** The last epoch of a chain day. */
const HEAD = epochsOfDay('mainnet', 'chain', DAY).last;
/** 36 million ETH: 293 ETH an epoch by Electra, 549 by Gloas. */
const STAKE = 36_000_000n * ETH;
const [ELECTRA, GLOAS] = [293n * ETH, 549n * ETH];

let gateway: Gateway;
beforeEach(async () => {
  gateway = await gatewayForTest({ template: 'empty' });
  const balances = [{ epoch: HEAD, totalActiveBalance: String(STAKE) }];
  expect((await importText(gateway, 'chain-balances', JSON.stringify(balances))).faults).toEqual([]);
});

const told = (epoch: number, name = 'gloas') =>
  openStore(gateway.database.pool, 'mainnet').writeForks([{ name, epoch }]);

const expected = (epochs: number, since: number) => ELECTRA * BigInt(epochs - since) + GLOAS * BigInt(since);

/** Limit and capacities of the windows of 1, 7 and 30 days, the same in both APIs. */
async function capacities() {
  const { json } = await gateway.get('/v1/eth/consolidationCapacity');
  const rest = json.slice(0, 3).map((row: any) => [row.consolidationChurnLimit, row.capacity].map(BigInt));
  const { data } = await gateway.graphql(
    '{ consolidationCapacities(network: MAINNET) { consolidationChurnLimit capacity } }',
  );
  const graphql = data.consolidationCapacities
    .slice(0, 3)
    .map((row: any) => [row.consolidationChurnLimit, row.capacity].map(BigInt));
  expect(rest).toEqual(graphql);
  return rest;
}

describe('the capacity of consolidations', () => {
  it('has the limit of Electra until an index tells the epoch of Gloas', async () => {
    const electra = [225, 1_575, 6_750].map((epochs) => [ELECTRA, expected(epochs, 0)]);
    expect(await capacities()).toEqual(electra);
    await told(HEAD + 1);
    expect(await capacities()).toEqual(electra);
    await told(HEAD - 300, 'fulu');
    expect(await capacities()).toEqual(electra);
  });

  slow('sums both limits where the window has the fork, from its first epoch on', async () => {
    await told(HEAD - 99);
    expect(await capacities()).toEqual([225, 1_575, 6_750].map((epochs) => [GLOAS, expected(epochs, 100)]));
    await told(HEAD);
    expect(await capacities()).toEqual([225, 1_575, 6_750].map((epochs) => [GLOAS, expected(epochs, 1)]));
    await told(HEAD - 999);
    expect(await capacities()).toEqual([
      [GLOAS, GLOAS * 225n],
      [GLOAS, expected(1_575, 1_000)],
      [GLOAS, expected(6_750, 1_000)],
    ]);
  });

  it('by day, week and month sums the same limits', async () => {
    await told(HEAD - 299);
    const { data } = await gateway.graphql(
      '{ consolidationHistory(network: MAINNET, first: 3) { nodes { capacity } } }',
    );
    expect(data.consolidationHistory.nodes.map(({ capacity }: any) => BigInt(capacity))).toEqual([
      GLOAS * 225n,
      expected(225, 75),
      ELECTRA * 225n,
    ]);
  });
});
