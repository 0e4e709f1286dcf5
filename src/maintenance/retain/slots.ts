import type pg from 'pg';
import { SLOTS_PER_DAY, slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Retainable } from '../../config/ages.ts';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import type { Queryable } from '../../db/pool.ts';
import { removeUnusedCommittees } from '../../ingest/importers/sync-committees.ts';
import { firstSlotOn } from '../../ingest/merge/dropped-time.ts';
import { keepRelays } from '../../refresh/dropped-relays.ts';
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

/** Deletes the oldest slots, at most those of a chain day; returns the number of rows. Call under `locks`. */
export async function dropSlots(
  client: pg.ClientBase,
  { table, dataset }: SlotTable,
  network: Network,
  date: string,
): Promise<number> {
  const firstKept = firstSlotOn(network, date);
  const { rows: oldest } = await client.query<{ slot: number | null }>(
    `/* oldestSlot */ select min(slot) as slot from ${table} where network = $1 and slot < $2`,
    [network, firstKept],
  );
  const first = oldest[0]?.slot ?? null;
  if (first === null) return 0;
  const end = Math.min(firstKept, first - (first % SLOTS_PER_DAY) + SLOTS_PER_DAY);
  if (table === 'blocks') await keepRelays(client, network, first, end);
  const { rowCount } = await client.query(
    `/* dropOldSlots */ delete from ${table} where network = $1 and slot >= $2 and slot < $3`,
    [network, first, end],
  );
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
  return rowCount ?? 0;
}
