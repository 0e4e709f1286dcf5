import { afterAll, beforeAll, expect, it } from 'vitest';
import { epochStart } from '../../src/chain/calendar.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const HEAD = 353_100;
/** 2 million ETH: 30 ETH an epoch since Gloas (epoch 353024), none before. */
const STAKE = 2_000_000_000_000_000n;
const header = { 'x-service-network': 'sepolia' };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  const rows = [{ epoch: HEAD, totalActiveBalance: String(STAKE) }];
  const options = { network: 'sepolia' as const };
  expect((await importText(gateway, 'chain-balances', JSON.stringify(rows), options)).faults).toEqual([]);
});
afterAll(() => gateway.close());

it('sepolia is a network of both APIs, with the limit of Gloas from its epoch on and no index', async () => {
  const { status, json } = await gateway.get('/v1/eth/consolidationCapacity', header);
  expect(status).toBe(200);
  expect(json[0]).toMatchObject({
    ...{ timeWindow: '1d', latestEpoch: HEAD, consolidationChurnLimit: 30e9 },
    capacity: 77 * 30e9,
  });
  const query = `{
    named: consolidationCapacities(network: SEPOLIA) { capacity }
    ofHeader: consolidationCapacities { capacity }
    history: consolidationHistory(network: SEPOLIA, first: 1) { nodes { capacity } }
    datasets { name origins { network origin } }
  }`;
  const { data } = await gateway.graphql(query, {}, header);
  expect(data.named[0].capacity).toBe(String(77 * 30e9));
  expect(data.ofHeader).toEqual(data.named);
  expect(data.history.nodes).toEqual([{ capacity: String(76 * 30e9) }]);
  const { origins } = data.datasets.find(({ name }: any) => name === 'chain-balances');
  expect(origins).toEqual([{ network: 'sepolia', origin: 'IMPORT' }]);
  expect((await gateway.get('/v1/eth/consolidationCapacity')).json).toEqual([]);
});

it('the calendar of sepolia begins with its genesis', () => {
  expect(new Date(epochStart('sepolia', 353_024) * 1000).toISOString()).toBe('2026-10-06T13:53:36.000Z');
});
