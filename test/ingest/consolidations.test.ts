import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { body, operator } from './rows.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({ text: 'truncate consolidations, chain_balances', values: [] }),
);

const PATH = '/v1/eth/validators/consolidations';
const load = (rows: unknown, options = {}) =>
  importText(gateway, 'consolidations', typeof rows === 'string' ? rows : JSON.stringify(rows), options);
const consolidation = (source: number, more = {}) => ({
  epoch: 380_000,
  sourceValidatorIndex: source,
  sourceValidatorPubkey: `0x${source.toString(16).padStart(96, 'a')}`,
  targetValidatorIndex: 7,
  targetValidatorPubkey: `0x${'b'.repeat(96)}`,
  consolidatedBalance: 32_000_000_000,
  ...more,
});
const stored = async (network = 'mainnet') =>
  (await gateway.get(PATH, { 'x-service-network': network })).json.results;

describe('an import of consolidations', () => {
  it('stores what came, keys in lower case, and changes nothing the second time', async () => {
    const row = consolidation(1, { targetValidatorPubkey: `0x${'B'.repeat(96)}` });
    expect(await load([row])).toMatchObject({ faults: [], inserted: 1, updated: 0 });
    const entities = { sourceEntities: [], targetEntities: [] };
    const derived = { day: 1_688, date: '2025-07-16', timestamp: '2025-07-17T09:20:23Z' };
    expect(await stored()).toEqual([{ ...consolidation(1), ...derived, ...entities }]);
    expect(await load([row])).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect(await stored()).toHaveLength(1);
  });

  it('takes back a REST body of either calendar, in a body without end and in NDJSON', async () => {
    const rows = [
      consolidation(1),
      consolidation(2, { epoch: 380_100 }),
      consolidation(3, { epoch: 380_113 }),
    ];
    await load(rows.map((row) => JSON.stringify(row)).join('\n'));
    for (const utc of [false, true]) {
      const { text, json } = await gateway.get(`${PATH}?utc=${utc}`);
      await gateway.database.pool.query({ text: 'truncate consolidations', values: [] });
      expect(await load(text)).toMatchObject({ faults: [], inserted: 3, removed: 0, replaced: false });
      expect((await gateway.get(`${PATH}?utc=${utc}`)).json).toEqual(json);
    }
  });

  it('takes the network of a row before that of the file, and removes others only with --replace', async () => {
    await load([consolidation(1), consolidation(2)]);
    await load([consolidation(1, { network: 'hoodi', epoch: 3_000 })]);
    expect(await load([consolidation(2), consolidation(3)])).toMatchObject({ inserted: 1, removed: 0 });
    expect(await load([consolidation(3)], { replace: true })).toMatchObject({ updated: 0, removed: 2 });
    expect([(await stored()).length, (await stored('hoodi')).length]).toEqual([1, 1]);
  });

  it('takes an epoch and a balance at their bounds', async () => {
    const rows = [
      consolidation(1, { epoch: 364_032, consolidatedBalance: 0 }),
      consolidation(2, { consolidatedBalance: 2_048_000_000_000 }),
      consolidation(3, { network: 'hoodi', epoch: 2_048 }),
      consolidation(4, { network: 'holesky', epoch: 115_968 }),
    ];
    expect(await load(rows)).toMatchObject({ faults: [], inserted: 4 });
  });

  it.each([
    [{ epoch: 364_031 }, 'epoch'],
    [{ epoch: 1.5 }, 'epoch'],
    [{ epoch: null }, 'epoch'],
    [{ network: 'hoodi', epoch: 2_047 }, 'epoch'],
    [{ network: 'goerli' }, 'network'],
    [{ sourceValidatorIndex: -1 }, 'sourceValidatorIndex'],
    [{ sourceValidatorPubkey: '0x00' }, 'sourceValidatorPubkey'],
    [{ sourceValidatorPubkey: null }, 'sourceValidatorPubkey'],
    [{ targetValidatorIndex: 1 }, 'targetValidatorIndex'],
    [{ targetValidatorPubkey: 5 }, 'targetValidatorPubkey'],
    [{ consolidatedBalance: 2_048_000_000_001 }, 'consolidatedBalance'],
    [{ consolidatedBalance: -1 }, 'consolidatedBalance'],
    [{ consolidatedBalance: 0.5 }, 'consolidatedBalance'],
    [{ day: 1_687 }, 'day'],
    [{ date: '2025-07-15' }, 'date'],
    [{ timestamp: '2025-07-17T09:20:24Z' }, 'timestamp'],
    [{ timestamp: 'today' }, 'timestamp'],
  ])('refuses %j naming the field', async (more, field) => {
    const { faults, loaded } = await load([consolidation(1, more)]);
    expect([...new Set(faults.map((fault) => fault.field))]).toEqual([field]);
    expect(loaded).toBe(false);
  });

  it('refuses a source given twice and what is no row', async () => {
    const { faults } = await load([consolidation(1), consolidation(1), 5, null]);
    expect([...new Set(faults.map((fault) => fault.place))]).toEqual(['row 2', 'row 3', 'row 4']);
  });
});

describe('an entity', () => {
  it('that an import of operators removes is 404 from then on, as on every path', async () => {
    const load = (rows: unknown[]) => importText(gateway, 'operators', JSON.stringify(body(rows)));
    const status = async () => (await gateway.get(`${PATH}?entityType=pool&entityId=Gone`)).status;
    expect(await load([operator('Gone'), operator('Stays')])).toMatchObject({ loaded: true });
    expect(await status()).toBe(200);
    expect(await load([operator('Stays')])).toMatchObject({ removed: 1 });
    expect(await status()).toBe(404);
  });
});

describe('an import of active balances', () => {
  const balances = (rows: unknown, options = {}) =>
    importText(gateway, 'chain-balances', JSON.stringify(rows), options);
  const latest = async (network = 'mainnet') => {
    const { json } = await gateway.get('/v1/eth/consolidationCapacity', { 'x-service-network': network });
    return json[0] && [json[0].latestEpoch, json[0].consolidationChurnLimit];
  };

  it('moves the newest epoch and the churn limit of its network alone', async () => {
    expect(await latest()).toBeUndefined();
    await balances([{ epoch: 380_000, totalActiveBalance: '35000000000000000' }]);
    expect(await latest()).toEqual([380_000, 278_000_000_000]);
    await balances([{ epoch: 380_225, totalActiveBalance: '35600000000000001' }]);
    await balances([{ epoch: 379_775, totalActiveBalance: 1 }]);
    expect(await latest()).toEqual([380_225, 287_000_000_000]);
    expect(await latest('hoodi')).toBeUndefined();
  });

  it('changes nothing the second time, corrects an epoch, and removes others only with --replace', async () => {
    const row = (epoch: number, totalActiveBalance = '35000000000000000') => ({ epoch, totalActiveBalance });
    expect(await balances([row(1), row(2)])).toMatchObject({ inserted: 2, updated: 0 });
    expect(await balances([row(2)])).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    await balances([row(2, '36000000000000000')]);
    expect(await latest()).toEqual([2, 293_000_000_000]);
    expect(await balances([row(1)], { replace: true })).toMatchObject({ updated: 0, removed: 1 });
    expect((await latest())?.[0]).toBe(1);
  });

  it.each([
    [{ epoch: -1, totalActiveBalance: 1 }, 'epoch'],
    [{ totalActiveBalance: 1 }, 'epoch'],
    [{ epoch: 1 }, 'totalActiveBalance'],
    [{ epoch: 1, totalActiveBalance: -1 }, 'totalActiveBalance'],
    [{ epoch: 1, totalActiveBalance: '9223372036854775808' }, 'totalActiveBalance'],
    [{ epoch: 1, totalActiveBalance: 1, network: 'goerli' }, 'network'],
  ])('refuses %j naming the field', async (row, field) => {
    const { faults, loaded } = await balances([row]);
    expect([faults.map((fault) => fault.field), loaded]).toEqual([[field], false]);
  });

  it('refuses an epoch given twice', async () => {
    const row = { epoch: 1, totalActiveBalance: 1 };
    expect((await balances([row, row])).faults).toMatchObject([{ place: 'row 2', msg: 'repeats row 1' }]);
  });
});
