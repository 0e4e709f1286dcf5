import type pg from 'pg';
import { slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import type { Queryable } from '../../db/pool.ts';
import { firstSlotOn } from '../dropped-time.ts';
import { removeUnusedCommittees } from '../sync-committees.ts';
import type { Retainable } from './ages.ts';
import { noteKept } from './parts.ts';

/** `locks`: datasets whose writers must wait. */
export type SlotTable = {
  table: 'blocks' | 'sync_committee_slots';
  dataset: Retainable & ('blocks' | 'sync-committee-rewards');
  locks: readonly string[];
};

export const slotTables: readonly SlotTable[] = [
  // triggers of blocks read validators
  { table: 'blocks', dataset: 'blocks', locks: ['blocks', 'validators'] },
  {
    table: 'sync_committee_slots',
    dataset: 'sync-committee-rewards',
    locks: ['sync-committee-rewards'],
  },
];

export const SLOTS_AT_ONCE = 10_000;

const dateOfSlot = (network: Network, slot: number) =>
  new Date(slotStart(network, slot) * 1000).toISOString().slice(0, 10);

/** Ignores blocks near the head, which an index may write long before it has caught up. */
export async function newestDate(
  db: Queryable,
  { table }: SlotTable,
  network: Network,
): Promise<string | undefined> {
  const { rows } = await db.query({
    text: `/* newestSlot */ select max(slot) as slot from ${table}
      where network = $1 ${table === 'blocks' ? 'and finalized' : ''}`,
    values: [network],
  });
  const slot = rows[0]?.slot as number | null | undefined;
  return slot === null || slot === undefined ? undefined : dateOfSlot(network, slot);
}

/** `bytes` is the share of these rows in the size of the table. */
export async function slotsBefore(
  db: Queryable,
  { table }: SlotTable,
  network: Network,
  date: string,
): Promise<{ rows: number; bytes: number; from: string | undefined }> {
  const { rows } = await db.query({
    text: `/* slotsBefore */
      select count(*)::float8 as rows, min(slot) as first,
        coalesce(pg_total_relation_size('${table}') * count(*) / greatest(max(c.reltuples::float8), count(*), 1), 0)::float8 as bytes
      from ${table} t cross join (select reltuples from pg_class where oid = '${table}'::regclass) c
      where t.network = $1 and t.slot < $2`,
    values: [network, firstSlotOn(network, date)],
  });
  const { first, ...found } = rows[0] as { rows: number; bytes: number; first: number | null };
  return {
    rows: found.rows,
    bytes: Math.round(found.bytes),
    from: first === null ? undefined : dateOfSlot(network, first),
  };
}

/** Deletes at most `SLOTS_AT_ONCE` slots; returns the number of rows. Call under `locks`. */
export async function dropSlots(
  client: pg.ClientBase,
  { table, dataset }: SlotTable,
  network: Network,
  date: string,
): Promise<number> {
  const { rowCount } = await client.query(
    `/* dropOldSlots */
    delete from ${table} where network = $1 and slot < least($2, (
      select min(slot) + ${SLOTS_AT_ONCE} from ${table} where network = $1
    ))`,
    [network, firstSlotOn(network, date)],
  );
  if (!rowCount) return 0;
  if (table === 'sync_committee_slots') {
    const { rows } = await client.query<{ committee: number }>(
      `/* unusedSyncCommittees */ select c.committee from sync_committees c where c.network = $1
        and not exists (select from sync_committee_slots s where s.committee = c.committee)`,
      [network],
    );
    await removeUnusedCommittees(
      client,
      rows.map((row) => row.committee),
    );
  }
  await noteKept(client, dataset, [network], date);
  await raisedRevision(client, dataset)();
  const details = { network, before: date, rows: rowCount };
  await audit(client, { action: 'retain', subject: table, details });
  return rowCount;
}
