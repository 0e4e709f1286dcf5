import { afterEach, expect, it } from 'vitest';
import { epochsOfDay } from '../../../src/chain/calendar.ts';
import { lockWriters } from '../../../src/db/changes/locks.ts';
import { transaction } from '../../../src/db/pool.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { partsOf } from '../../../src/maintenance/retain/parts.ts';
import { eventually } from '../../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { allRows, NETWORK, query, waitingLocks, writeEpochs } from './rows.ts';

let database: TestDatabase;
afterEach(() => database.drop());

const made = { size: 4 };
const { last: LAST } = epochsOfDay(NETWORK, 'chain', 10);
const KEPT = `insert into kept_from values ('validator-days', '${NETWORK}', '2025-06-01')`;
const refusal = (epoch: number) =>
  `Epoch ${epoch} of hoodi is of 2025-03-27, and stakegraph retain has dropped validator-days before 2025-06-01: begin there or later with --from.`;

/** An index that has stored the two epochs before the end of a day. */
async function behind() {
  database = await createDatabase('empty');
  const { pool } = database;
  const range = { from: LAST - 2, to: LAST - 1, partial: false };
  const store = await writeEpochs(pool, made, range);
  const write = (of = store) =>
    of.write(madeFacts(made, LAST, LAST - 2), savedAs('x'), madeRegistry(made), { partial: true });
  return { pool, write };
}

it('an index that runs or is resumed writes nothing into dropped time, and names the date and what to do', async () => {
  const { pool, write } = await behind();
  await query(pool, KEPT);
  const [rows, parts] = [await allRows(pool), await partsOf(pool, 'validator_days')];
  await expect(write()).rejects.toThrow(refusal(LAST));
  const resumed = openStore(pool, NETWORK);
  await resumed.resume();
  await expect(write(resumed)).rejects.toThrow(refusal(LAST));
  expect(await allRows(pool)).toEqual(rows);
  expect(await partsOf(pool, 'validator_days')).toEqual(parts);
  expect(await resumed.resume()).toMatchObject({ epoch: LAST - 1 });
});

it('an index that waits while its time is dropped writes nothing into it', async () => {
  const { pool, write } = await behind();
  const rows = await allRows(pool);
  const refused = await transaction(pool, async (client) => {
    await lockWriters(client, [], [NETWORK]);
    const expected = expect(write()).rejects.toThrow(refusal(LAST));
    await eventually(async () => expect(await waitingLocks(pool)).toBe(1), 20_000);
    await client.query(KEPT);
    return { expected };
  });
  await refused.expected;
  expect(await allRows(pool)).toEqual(rows);
});

it('an index goes on after what was dropped', async () => {
  const { pool, write } = await behind();
  await query(pool, KEPT.replace('2025-06-01', '2025-03-27'));
  await write();
  expect(await openStore(pool, NETWORK).resume()).toMatchObject({ epoch: LAST });
});
