import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networks } from '../../src/chain/networks.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  await addSlashing(gateway);
});
afterAll(() => gateway.close());

/** One slashing on hoodi, none on the others: the total tells which network was asked. */
const addSlashing = ({ database }: Gateway) =>
  database.pool.query({
    text: `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
        balance_before_slashing, balance_before_withdrawal, slashing_penalties)
      values ('hoodi', 1, '0x' || repeat('ab', 48), 1, 2, 32000000000, 31000000000, 1000000000)`,
    values: [],
  });

const query = '{ slashings { totalCount } }';
const asked = async (from: Gateway, headers: Record<string, string> = {}) => {
  const rest = (await from.get('/v0/eth/slashings', headers)).json.total;
  const { data } = await from.graphql(query, {}, headers);
  expect(data.slashings.totalCount).toBe(rest);
  return rest === 1 ? 'hoodi' : 'other';
};

describe('X-Service-Network', () => {
  it('selects the network on both APIs, mainnet by default', async () => {
    expect(await asked(gateway)).toBe('other');
    expect(await asked(gateway, { 'x-service-network': 'mainnet' })).toBe('other');
    expect(await asked(gateway, { 'X-SERVICE-NETWORK': 'hoodi' })).toBe('hoodi');
  });

  it.each(networks)('takes %s', async (network) => {
    expect((await gateway.get('/v0/eth/slashings', { 'x-service-network': network })).status).toBe(200);
  });

  it.each(['goerli', 'Mainnet', 'null', '', '1', 'mainnet,', 'x'.repeat(2_000)])(
    'refuses %s with 400 at ["header","X-Service-Network"] on both APIs',
    async (network) => {
      const headers = { 'x-service-network': network };
      const rest = await gateway.get('/v0/eth/slashings', headers);
      const graphql = await gateway.graphql(query, {}, headers);
      for (const { status, json } of [rest, graphql]) {
        expect(status).toBe(400);
        expect(json.detail).toMatchObject([{ loc: ['header', 'X-Service-Network'], type: 'enum' }]);
        expect(json.detail[0].msg).toMatch(/one of mainnet, hoodi, holesky, sepolia is needed\.$/);
      }
    },
  );

  it('refuses to be given twice', async () => {
    const headers = new Headers({ authorization: `Bearer ${gateway.token}` });
    headers.append('x-service-network', 'mainnet');
    headers.append('x-service-network', 'mainnet');
    const { status, json } = await gateway.fetch('/v0/eth/slashings', { headers });
    expect([status, json.detail[0].loc]).toEqual([400, ['header', 'X-Service-Network']]);
  });

  it('is the only name of the header without NETWORK_HEADERS', async () => {
    expect(await asked(gateway, { 'x-old-network': 'hoodi' })).toBe('other');
  });

  slow.each([true, false])(
    'under another name is counted and named in a debug line where it is not read (cache %s)',
    async (CACHE) => {
      const lines: string[] = [];
      const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
      const other = await gatewayForTest({ template: 'empty', settings: { CACHE }, log });
      await eventually(() => expect(other.revisions.trusted()).toBe(true));
      const token = `sgt_${'a'.repeat(49)}`;
      const counted = async () => {
        await setTimeout(1_100); // metrics are made once a second
        const { text } = await other.fetch('/metrics');
        return Number(/^stakegraph_unread_network_headers_total (\d+)$/m.exec(text)?.[1]);
      };
      const named = () =>
        lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('network header not read'));
      expect(await counted()).toBe(0);
      // With a cache, the later answers are cache hits.
      for (let time = 1; time <= 3; time += 1) {
        const { status } = await other.get('/v0/eth/slashings', { 'X-Other-Network': 'hoodi' });
        await other.graphql(query, {}, { 'X-Other-Network': 'hoodi' });
        expect(status).toBe(200);
      }
      expect(await counted()).toBe(6);
      expect(named().map(({ header, level }) => [header, level])).toEqual(
        Array.from({ length: 6 }, () => ['x-other-network', 20]),
      );
      const headers = { [`x-${token}-network`]: 'x', [`x-${'y'.repeat(200)}-network`]: 'x' };
      await other.get('/v0/eth/slashings', headers);
      expect(await counted()).toBe(8);
      expect(lines.join('').toLowerCase()).not.toContain(token);
      expect(named().every(({ header }) => header.length <= 64)).toBe(true);
      await other.get('/v0/eth/slashings', { 'x-service-network': 'hoodi', network: 'x', 'x-net': 'y' });
      await other.fetch('/v0/eth/slashings', { headers: { 'x-other-network': 'hoodi' } }); // not let in
      expect(await counted()).toBe(8);
    },
  );

  it('has the further names of NETWORK_HEADERS beside it', async () => {
    const NETWORK_HEADERS = ['X-Service-Network', 'X-Old-Network'];
    const other = await gatewayForTest({ template: 'empty', settings: { NETWORK_HEADERS } });
    await addSlashing(other);
    for (const name of NETWORK_HEADERS) expect(await asked(other, { [name]: 'hoodi' })).toBe('hoodi');
    const { status, json } = await other.get('/v0/eth/slashings', { 'x-old-network': 'goerli' });
    expect([status, json.detail[0].loc]).toEqual([400, ['header', 'X-Service-Network']]);
    expect(json.detail[0].msg).toMatch(/^X-Old-Network is "goerli"; one of/);
  });
});
