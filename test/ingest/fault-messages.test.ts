import { afterAll, beforeAll, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import { type ImportResource, importers } from '../../src/ingest/importers/index.ts';
import { rewardsNetworks } from '../../src/resources/network-rewards/record.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { useFiles } from './rows.ts';

const write = useFiles();
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const faultsOf = async (resource: ImportResource, row: unknown) =>
  (await importFile(database.pool, resource, await write([row]), { network: 'mainnet' })).faults.map(
    ({ field, msg }) => `${field} ${msg}`,
  );
const resources = Object.keys(importers) as ImportResource[];

// A row of daily rewards does not show whether it is of a validator or of the network.
const told = resources.filter((name) => !rewardsNetworks.some((network) => name === `${network}-rewards`));
it.each(told)('%s: a row without anything is told what is missing', async (resource) => {
  const faults = await faultsOf(resource, {});
  expect(faults.some((fault) => / is missing/.test(fault))).toBe(true);
});

it.each(resources)('%s: what is wrong is told in our words', async (resource) => {
  const { shape } = importers[resource].shape;
  for (const wrong of [-1, '', 'x'.repeat(300), null, true, [], {}, 1.5, [5]]) {
    const row = Object.fromEntries(Object.keys(shape).map((name) => [name, wrong]));
    const faults = await faultsOf(resource, row);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => /Invalid|Too |Unrecognized|undefined/.test(fault))).toEqual([]);
  }
});

it('names the bound of a number and the words of a field', async () => {
  expect(await faultsOf('chain-balances', { epoch: -1, totalActiveBalance: 'x' })).toEqual([
    'epoch must be at least 0',
    'totalActiveBalance must be a whole number >= 0',
  ]);
  expect(await faultsOf('operator-profiles', { id: 'a', idType: 'planet' })).toContainEqual(
    expect.stringMatching(/^idType must be one of depositAddress, /),
  );
  expect(await faultsOf('operator-profiles', { id: '', idType: 'pool' })).toEqual([
    'id must have at least 1 character',
  ]);
});
