import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type ArchivedMonth, archivedMonths, rowGroupsOf } from '../../archive/catalogue.ts';
import { columnNames } from '../../archive/columns.ts';
import { type Duck, quote, WHOLE_MONTHS, withDuck } from '../../archive/duckdb.ts';
import { withTemporaryFolder } from '../../archive/folders.ts';
import { pathOf } from '../../archive/part-file.ts';
import { rowHash } from '../../archive/row-hash.ts';
import { rowsOfTable } from '../../archive/table-rows.ts';
import { eachPart } from '../../archive/write.ts';
import { type Network, networks } from '../../chain/networks.ts';
import { audit } from '../../db/audit.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { sql } from '../../db/rows.ts';
import { lockAllSetDays } from '../../resources/private-sets/set-days.ts';
import type { StoredPart } from '../retain/needed.ts';
import { partsOf } from '../retain/parts.ts';
import { faultOf } from './verify.ts';

class NotRestored extends Error {}

/** `fees`: days of validators that got fees which had become known. */
export type RestoredMonth = { network: string; month: string; path: string; rows: number; fees: number };

/**
 * Moves a month of all networks back into `validator_days`, in one transaction. The files stay, and are replaced when the
 * month is archived again. Imports and indexes wait meanwhile.
 */
export const restoreMonth = (
  pool: Pool,
  month: string,
  note: (rows: number, of: number) => void,
  /** What has to be added to days of a network that were archived. Returns the number of changed ones. */
  addFees: (client: pg.ClientBase, network: Network, month: string) => Promise<number>,
): Promise<RestoredMonth[]> =>
  withTemporaryFolder((temporary) =>
    withDuck({ ...WHOLE_MONTHS, spill: temporary }, (duck) =>
      transaction(pool, async (client) => {
        await lockWriters(client, ['blocks', 'validator-days'], networks);
        await lockAllSetDays(client);
        const months = await archivedMonths(client, sql`month = ${`${month}-01`}::date`);
        if (months.length === 0) throw new NotRestored(`The month ${month} is not archived.`);
        for (const one of months) {
          const fault = await faultOf(one, true);
          if (fault) throw new NotRestored(`The file ${pathOf(one)} of ${one.network} ${fault}.`);
        }
        await client.query('/* partOfMonth */ select validator_day_parts(array[$1::date])', [`${month}-01`]);
        const restored: RestoredMonth[] = [];
        const all = months.reduce((sum, { rows }) => sum + rows, 0);
        for (const one of months) {
          const done = restored.reduce((sum, { rows }) => sum + rows, 0);
          await loadRows(client, duck, one, temporary, (rows) => note(done + rows, all));
          await moveDates(client, one);
          const fees = await addFees(client, one.network as Network, month);
          restored.push({ network: one.network, month, path: pathOf(one), rows: one.rows, fees });
          const details = { network: one.network, rows: one.rows, file: pathOf(one) };
          await audit(client, { action: 'archive.restore', subject: month, details });
        }
        await raisedRevision(client, 'validator-days')();
        return restored;
      }),
    ),
  );

async function loadRows(
  client: pg.ClientBase,
  duck: Duck,
  month: ArchivedMonth,
  temporary: string,
  note: (rows: number) => void,
): Promise<void> {
  const { rows: there } = await client.query(
    `/* anyOfMonth */ select from validator_days
    where network = $1 and utc = any('{f,t}') and date >= $2::date and date < $3::date limit 1`,
    [month.network, month.month, month.next],
  );
  if (there.length > 0)
    throw new NotRestored(
      `Days of ${month.network} in ${month.month.slice(0, 7)} are in the database as well as in ${pathOf(month)}: delete one of them.`,
    );
  const groups = await rowGroupsOf(client, month);
  if (!groups) throw new NotRestored(`The month ${month.month} is not archived.`);
  const file = join(temporary, 'rows.csv');
  const columns = columnNames.join(', ');
  await eachPart(month, groups, async (path, rows) => {
    await duck.run(
      `copy (select ${columns} from read_parquet(${quote(path)})) to ${quote(file)} (format csv, header false)`,
    );
    const into = `/* restoreRows */ copy validator_days (${columns}) from stdin (format csv)`;
    await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), client.query(copyFrom(into)));
    note(rows);
  });
  await rm(file, { force: true });
  await checkRestored(client, month);
}

/** The database must have the rows that were archived. Of version 1, which hashed them otherwise, as many. */
async function checkRestored(client: pg.ClientBase, month: ArchivedMonth): Promise<void> {
  const parts = await partsOf(client, 'validator_days');
  const { part } = parts.find(({ from }) => from === month.month) as StoredPart;
  const hash = rowHash();
  for await (const rows of rowsOfTable(client, { part, network: month.network, month: month.month }))
    hash.add(rows);
  const isSame = month.schemaVersion < 2 || hash.digest().equals(month.rowsSha256);
  if (hash.rows() !== month.rows || !isSame)
    throw new NotRestored(`The rows of ${pathOf(month)} are not those that were archived.`);
}

async function moveDates(client: pg.ClientBase, { network, month, next }: ArchivedMonth): Promise<void> {
  await client.query(
    `/* restoreDates */
    with moved as (
      delete from archived_day_dates where network = $1 and date >= $2::date and date < $3::date
      returning network, utc, day, date
    )
    insert into validator_day_dates (network, utc, day, date, attestations_due, rewards_due)
    select network, utc, day, date, false, false from moved`,
    [network, month, next],
  );
  await client.query(
    '/* forgetArchived */ delete from archived_months where network = $1 and month = $2::date',
    [network, month],
  );
}
