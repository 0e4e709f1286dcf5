import { describe, expect, it } from 'vitest';
import { chainDayOfEpoch, epochStart } from '../../src/chain/calendar.ts';
import { slashingFields } from '../../src/resources/slashings/record.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();

const list = (query: string, headers = {}) => gateway.get(`/v0/eth/slashings?${query}`, headers);
const everything = () => walkNext(gateway, '/v0/eth/slashings?size=200');

describe('GET /v0/eth/slashings', () => {
  it('answers the documented envelope, ten rows by default, with the documented keys in order', async () => {
    const { status, json } = await list('');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['page', 'total', 'data', 'next']);
    expect(json.page.size).toBe(10);
    expect(json.data).toHaveLength(10);
    for (const row of json.data) expect(Object.keys(row)).toEqual(slashingFields);
  });

  slow(
    'orders by slashing epoch and validator index, and every row comes once at any page size',
    async () => {
      const rows = await everything();
      expect((await list('')).json.total).toBe(rows.length);
      const sorted = rows.toSorted(
        (a, b) => a.slashingEpoch - b.slashingEpoch || a.validatorIndex - b.validatorIndex,
      );
      expect(rows).toEqual(sorted);
      for (const size of [7, 11, 199]) {
        expect(await walkNext(gateway, `/v0/eth/slashings?size=${size}`)).toEqual(rows);
      }
    },
  );

  it('gives page.from and page.to as the chain days of the first asked and the last returned', async () => {
    const first = (await list('size=20')).json;
    expect(first.page).toEqual({ from: 0, to: chainDayOfEpoch(first.data[19].slashingEpoch), size: 20 });
    const second = (await gateway.get(first.next)).json;
    expect(second.page.from).toBe(chainDayOfEpoch(second.data[0].slashingEpoch));
    const day = chainDayOfEpoch(first.data[5].slashingEpoch);
    expect((await list(`from=${day}&size=3`)).json.page.from).toBe(day);
  });

  it('lists from a chain day on', async () => {
    const rows = await everything();
    const day = chainDayOfEpoch(rows[30].slashingEpoch);
    const expected = rows.filter((row) => row.slashingEpoch >= day * 225);
    expect(await walkNext(gateway, `/v0/eth/slashings?from=${day}&size=50`)).toEqual(expected);
    expect((await list(`from=${day}`)).json.total).toBe(expected.length);
  });

  it('lists from a moment on, which counts itself', async () => {
    const rows = await everything();
    const at = epochStart('mainnet', rows[40].slashingEpoch);
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
    const from = async (text: string) =>
      walkNext(gateway, `/v0/eth/slashings?from=${encodeURIComponent(text)}&size=200`);
    expect(await from(iso(at))).toEqual(rows.filter((row) => row.slashingEpoch >= rows[40].slashingEpoch));
    expect(await from(iso(at + 1))).toEqual(rows.filter((row) => row.slashingEpoch > rows[40].slashingEpoch));
    const date = iso(at).slice(0, 10);
    expect(await from(date)).toEqual(await from(`${date}T00:00:00Z`));
    expect(await from(`${date}T02:00:00+02:00`)).toEqual(await from(date));
  });

  it('answers an empty page for a day after the last slashing', async () => {
    const { json } = await list('from=9000000');
    expect(json).toEqual({ page: { from: 9000000, to: 9000000, size: 10 }, total: 0, data: [], next: null });
    expect((await list('from=9999-12-31T23:59:59Z')).json.data).toEqual([]);
  });

  it('takes an empty or null from as absent', async () => {
    const { text } = await list('');
    expect((await list('from=')).text).toBe(text);
    expect((await list('from=null')).text).toBe(text);
    expect((await list('from=0')).text).toBe(text);
  });

  it('has a penalty that is the difference of the balances', async () => {
    for (const row of await everything()) {
      expect(row.slashingPenalties).toBe(row.balanceBeforeSlashing - row.balanceBeforeWithdrawal);
    }
  });

  it.each([
    ['from', '-1'],
    ['from', '1.5'],
    ['from', '1e3'],
    ['from', '9223372036854775808'],
    ['from', 'yesterday'],
    ['from', '2024-02-30'],
    ['from', '2024-01-01T25:00:00Z'],
    ['from', '2024-01-01T00:00:00'],
    ['size', '0'],
    ['size', '201'],
    ['size', '-1'],
    ['size', '1.5'],
    ['size', ''],
    ['size', 'null'],
    ['cursor', 'nonsense'],
    ['cursor', '%00'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const { status, json } = await list(`${name}=${value}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
  });

  it.each(['from', 'size', 'cursor'])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect([status, json.detail[0].type]).toEqual([400, 'repeated']);
  });

  it('refuses a cursor with another from than its own', async () => {
    const { next } = (await list('from=1&size=1')).json;
    expect((await gateway.get(next)).status).toBe(200);
    expect((await gateway.get(next.replace('from=1', 'from=2'))).status).toBe(400);
  });
});

describe('REST and GraphQL', () => {
  const fields = slashingFields.join(' ');
  const asRest = (node: any) => ({
    ...node,
    balanceBeforeSlashing: Number(node.balanceBeforeSlashing),
    balanceBeforeWithdrawal: Number(node.balanceBeforeWithdrawal),
    slashingPenalties: Number(node.slashingPenalties),
  });

  it('start at the same day or epoch', async () => {
    const rows = await everything();
    const day = chainDayOfEpoch(rows[100].slashingEpoch);
    const rest = (await list(`from=${day}`)).json;
    for (const args of [
      `fromDay: ${day}`,
      `fromEpoch: ${day * 225}`,
      `fromDay: 0, fromEpoch: ${day * 225}`,
    ]) {
      const { data } = await gateway.graphql(
        `{ slashings(${args}, orderBy: { field: EPOCH, direction: ASC }, first: 10) { totalCount nodes { ${fields} } } }`,
      );
      expect(data.slashings.nodes.map(asRest)).toEqual(rest.data);
      expect(data.slashings.totalCount).toBe(rest.total);
    }
  });

  it('find one slashing by index, by public key in any case and by global id', async () => {
    const row = (await list('size=1')).json.data[0];
    const key = row.validatorPubkey.toUpperCase();
    const { data } = await gateway.graphql(`{
      byIndex: slashing(by: { index: ${row.validatorIndex} }) { id ${fields} }
      byKey: slashing(by: { pubkey: "${key}" }) { id ${fields} }
      none: slashing(by: { index: 2147483647 }) { id }
    }`);
    expect(data.byKey).toEqual(data.byIndex);
    expect(data.none).toBeNull();
    const { id, ...node } = data.byIndex;
    expect(asRest(node)).toEqual(row);
    const again = await gateway.graphql(`{ node(id: "${id}") { ... on Slashing { validatorIndex } } }`);
    expect(again.data.node.validatorIndex).toBe(row.validatorIndex);
  });

  it('find several by public key in one statement', async () => {
    const keys = (await list('size=3')).json.data.map((row: any) => row.validatorPubkey);
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(
      `{ ${keys.map((key: string, at: number) => `s${at}: slashing(by: { pubkey: "${key}" }) { validatorPubkey }`)} }`,
    );
    expect(Object.values(data).map((row: any) => row.validatorPubkey)).toEqual(keys);
    expect(gateway.statements).toEqual(['slashingsByPubkey']);
  });

  it.each(['pubkey: "0x00"', 'index: -1'])('refuse slashing(by: { %s })', async (by) => {
    const { errors } = await gateway.graphql(`{ slashing(by: { ${by} }) { id } }`);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });
});

describe('GraphQL slashings', () => {
  it.each([1, 200])('reads a page of %i in one statement, two with totalCount', async (first) => {
    gateway.statements.length = 0;
    await gateway.graphql(`{ slashings(first: ${first}) { nodes { validatorIndex } } }`);
    expect(gateway.statements).toEqual(['slashingPage']);
    gateway.statements.length = 0;
    await gateway.graphql(`{ slashings(first: ${first}) { totalCount nodes { validatorIndex } } }`);
    expect(gateway.statements).toEqual(['slashingPage', 'slashingTotal']);
  });
});
