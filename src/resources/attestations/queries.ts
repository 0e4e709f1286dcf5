import { z } from 'zod';
import type { Bounds } from '../../chain/bounds.ts';
import { type Calendar, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import { genesisTime, type Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import { join, raw, rows, type Sql, sql } from '../../db/rows.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { count, leafKind } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import type { IdType } from '../operators/record.ts';
import { type AttestationField, AttestationRecord, type Granularity, type SortField } from './record.ts';

/** An entity whose attestations are asked for. */
export type EntityKey = { network: Network; idType: IdType; id: string };

/** What is asked of each entity. */
export type AttestationQuery = Bounds & {
  granularity: Granularity;
  calendar: Calendar;
  sortBy: SortField;
  sortOrder: 'asc' | 'desc';
};

/** Which part of an entity's list: from a cursor on, or after so many rows (REST); `counted` asks for the list's size. */
export type AttestationRange = Range<number> & { offset?: number; counted?: boolean };

/**
 * The fields that were asked for. `list` is the place of its entity in the keys. `position` is what a cursor holds: the
 * hour or day itself where rows are those, in their own order, so that a new day moves no page; else the place in the list.
 */
export type AttestationRow = Partial<AttestationRecord> & {
  list: number;
  position: number;
  total: number | null;
};

/** A field as stored in a row of hours or days, and gathered from the days of a longer period. */
type Expression = { stored: Sql; gathered: Sql };

const same = (expression: Sql): Expression => ({ stored: expression, gathered: expression });
const summed = (column: string): Expression => ({
  stored: raw(`a.${column}`),
  gathered: raw(`sum(a.${column})`),
});
const last = (column: string): Expression => ({
  stored: raw(`a.${column}`),
  gathered: raw(`(array_agg(a.${column} order by a.day desc))[1]`),
});
const spanOnly = (gathered: Sql, type: string): Expression => ({ stored: raw(`null::${type}`), gathered });
const storedOnly = (stored: Sql, type: string): Expression => ({ stored, gathered: raw(`null::${type}`) });

/** When a slot begins; `k.genesis` is that of the entity's network, in seconds. */
const slotTime = (slot: Sql) => sql`to_timestamp(k.genesis + 12 * (${slot})::bigint)`;
const edge = (make: (epoch: Sql) => Sql, which: 'min(a.start_epoch)' | 'max(a.end_epoch)'): Expression => ({
  stored: make(which === 'min(a.start_epoch)' ? sql`a.start_epoch` : sql`a.end_epoch`),
  gathered: make(raw(which)),
});
const firstSlot = (epoch: Sql) => sql`(${epoch} * ${raw(String(SLOTS_PER_EPOCH))})`;
const lastSlot = (epoch: Sql) =>
  sql`(${epoch} * ${raw(String(SLOTS_PER_EPOCH))} + ${raw(String(SLOTS_PER_EPOCH - 1))})`;

const fields: Record<AttestationField, Expression> = {
  id: same(sql`k.entity_id`),
  validatorCount: last('validator_count'),
  totalUniqueAttestations: summed('total_unique_attestations'),
  sumMissedAttestations: summed('sum_missed_attestations'),
  sumMissedSyncSignatures: summed('sum_missed_sync_signatures'),
  sumCorrectHead: summed('sum_correct_head'),
  sumCorrectTarget: summed('sum_correct_target'),
  sumCorrectSource: summed('sum_correct_source'),
  sumWrongHeadVotes: summed('sum_wrong_head_votes'),
  sumWrongTargetVotes: summed('sum_wrong_target_votes'),
  sumLateTargetVotes: summed('sum_late_target_votes'),
  sumLateSourceVotes: summed('sum_late_source_votes'),
  avgAttesterEffectiveness: {
    stored: sql`a.avg_attester_effectiveness`,
    // without any validator the plain mean, so that the figure is never missing
    gathered: sql`coalesce(sum(a.avg_attester_effectiveness * a.validator_count) / nullif(sum(a.validator_count), 0),
      avg(a.avg_attester_effectiveness))`,
  },
  sumInclusionDelay: summed('sum_inclusion_delay'),
  sumSyncSignatureCount: summed('sum_sync_signature_count'),
  sumEndEpochBalance: last('sum_end_epoch_balance'),
  sumEndEpochEffectiveBalance: last('sum_end_epoch_effective_balance'),
  hour: storedOnly(sql`a.hour`, 'int'),
  day: storedOnly(sql`a.day`, 'int'),
  startDay: spanOnly(sql`min(a.day)`, 'int'),
  endDay: spanOnly(sql`max(a.day)`, 'int'),
  startEpoch: edge((epoch) => epoch, 'min(a.start_epoch)'),
  endEpoch: edge((epoch) => epoch, 'max(a.end_epoch)'),
  startDate: spanOnly(sql`min(a.date)`, 'date'),
  endDate: spanOnly(sql`max(a.date)`, 'date'),
  date: storedOnly(sql`a.date`, 'date'),
  startTimestamp: edge((epoch) => slotTime(firstSlot(epoch)), 'min(a.start_epoch)'),
  endTimestamp: edge((epoch) => slotTime(lastSlot(epoch)), 'max(a.end_epoch)'),
  startSlot: edge(firstSlot, 'min(a.start_epoch)'),
  endSlot: edge(lastSlot, 'max(a.end_epoch)'),
};

/** A field's typed expression for rows of a granularity; rows of days have no hour of their own. */
const expression = (name: AttestationField, granularity: Granularity): Sql =>
  name === 'hour' && granularity !== 'hour' ? sql`null::int` : fields[name][shape(granularity).from];

/** A typed column as it goes over the wire. */
function wire(name: AttestationField): Sql {
  const column = raw(`p."${name}"`);
  const kind = leafKind(AttestationRecord.shape[name]);
  if (kind === 'BigInt' || kind === 'Date') return sql`${column}::text`;
  return kind === 'DateTime' ? sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')` : column;
}

const Place = z.object({ list: count(), position: count(), total: count().nullable() });
const rowChecks = boundedMap<z.ZodType<AttestationRow>>(500);

function rowCheck(names: readonly AttestationField[]): z.ZodType<AttestationRow> {
  let check = rowChecks.get(names.join());
  if (!check) {
    const mask = Object.fromEntries(names.map((name) => [name, true])) as { id: true };
    check = Place.extend(AttestationRecord.pick(mask).shape) as unknown as z.ZodType<AttestationRow>;
    rowChecks.set(names.join(), check);
  }
  return check;
}

/** What a granularity reads, what it counts as one period, and how rows gather into it. */
function shape(granularity: Granularity): { table: Sql; period: Sql; group: Sql; from: keyof Expression } {
  const plain = sql``;
  if (granularity === 'hour') {
    return { table: sql`attestation_hours`, period: sql`a.hour`, group: plain, from: 'stored' };
  }
  const table = sql`attestation_days`;
  if (granularity === 'day') return { table, period: sql`a.day`, group: plain, from: 'stored' };
  // ISO weeks begin on Monday, as date_trunc has it
  if (granularity === 'all')
    return { table, period: sql`0`, group: sql`having count(*) > 0`, from: 'gathered' };
  const period = raw(`date_trunc('${granularity}', a.date::timestamp)`);
  return { table, period, group: sql`group by ${period}`, from: 'gathered' };
}

/** The date of a day, by which parts that cannot hold it are left out; a day beyond what is stored is as good as the last. */
const dateOf = (day: number) =>
  sql`(to_timestamp(k.genesis) at time zone 'UTC')::date + ${Math.min(day, 100_000)}::int`;

/** The stored rows of an entity that a query takes in. */
const within = (query: AttestationQuery): Sql => sql`
  a.entity_key = e.entity_key and a.utc = ${query.calendar === 'utc'}
  ${query.fromDate === null ? sql`` : sql`and a.date >= ${query.fromDate}::date`}
  ${query.toDate === null ? sql`` : sql`and a.date <= ${query.toDate}::date`}
  ${query.fromDay === null ? sql`` : sql`and a.day >= ${query.fromDay} and a.date >= ${dateOf(query.fromDay)}`}
  ${query.toDay === null ? sql`` : sql`and a.day <= ${query.toDay} and a.date <= ${dateOf(query.toDay)}`}`;

/** The entities asked for, each with its place and its network's genesis. */
const entities = (keys: readonly EntityKey[]): Sql => sql`unnest(
      ${keys.map((key) => key.network)}::text[], ${keys.map((key) => key.idType)}::text[],
      ${keys.map((key) => key.id)}::text[], ${keys.map((key) => genesisTime[key.network])}::bigint[]
    ) with ordinality as k (network, id_type, entity_id, genesis, list)
    join attestation_entities e using (network, id_type, entity_id)`;

/** Hours and days in their own order are the order of the primary key. */
const inKeyOrder = (query: AttestationQuery): boolean =>
  query.sortBy === 'day' && (query.granularity === 'hour' || query.granularity === 'day');

const wireList = (asked: readonly AttestationField[]): Sql =>
  asked.length > 0 ? sql`, ${join(asked.map((name) => sql`${wire(name)} as ${raw(`"${name}"`)}`))}` : sql``;

/** A page for each of several entities, in one statement; one row more than the limit. */
export function attestationPages(
  db: Queryable,
  keys: readonly EntityKey[],
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Promise<AttestationRow[]> {
  const page = inKeyOrder(query) ? keyedPage : sortedPage;
  return rows(db, rowCheck(asked), page(keys, query, range, asked));
}

/** Stored rows, read from the primary key: a page costs its own rows, and the count only where it is asked for. */
function keyedPage(
  keys: readonly EntityKey[],
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Sql {
  const { table, period } = shape(query.granularity);
  const descending = (query.sortOrder === 'desc') !== (range.backward === true);
  const direction = descending ? sql`desc` : sql`asc`;
  const [low, high] = query.sortOrder === 'desc' ? [range.before, range.after] : [range.after, range.before];
  const typed = asked.map((name) => sql`${expression(name, query.granularity)} as ${raw(`"${name}"`)}`);
  const total = range.counted
    ? sql`(select count(*)::int from ${table} a where ${within(query)})`
    : sql`null::int`;
  return sql`/* attestationPages */
    select k.list::int - 1 as list, p.position, ${total} as total ${wireList(asked)}
    from ${entities(keys)}
    cross join lateral (
      select ${period} as position ${typed.length > 0 ? sql`, ${join(typed)}` : sql``}
      from ${table} a
      where ${within(query)}
        ${low === undefined ? sql`` : sql`and ${period} > ${low}`}
        ${high === undefined ? sql`` : sql`and ${period} < ${high}`}
      order by ${period} ${direction} limit ${range.limit + 1} offset ${range.offset ?? 0}
    ) p
    order by k.list, p.position ${direction}`;
}

/** Periods are gathered and put in order for each entity, and the page is cut by place: the cost is that of its days. */
function sortedPage(
  keys: readonly EntityKey[],
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Sql {
  const { table, period, group } = shape(query.granularity);
  const sorted = query.sortBy === 'day' ? [] : [query.sortBy];
  const names = [...new Set<AttestationField>([...asked, ...sorted])];
  const typed = names.map((name) => sql`${expression(name, query.granularity)} as ${raw(`"${name}"`)}`);
  const direction = query.sortOrder === 'desc' ? sql`desc` : sql`asc`;
  const order =
    query.sortBy === 'day'
      ? sql`period ${direction}`
      : sql`${raw(`"${query.sortBy}"`)} ${direction} nulls last, period`;
  const after = range.after ?? (range.offset ?? 0) - 1;
  const cut = range.backward
    ? sql`p.position >= least(${range.before ?? null}::bigint, p.total) - ${range.limit + 1}`
    : sql`p.position <= ${after + range.limit + 1}`;
  return sql`/* attestationPages */
    select k.list::int - 1 as list, p.position::int, p.total::int ${wireList(asked)}
    from ${entities(keys)}
    cross join lateral (
      select g.*, row_number() over (order by ${order}) - 1 as position, count(*) over () as total
      from (
        select ${period} as period ${typed.length > 0 ? sql`, ${join(typed)}` : sql``}
        from ${table} a where ${within(query)} ${group}
      ) g
    ) p
    where p.position > ${after} and p.position < ${range.before ?? 2 ** 31 - 1} and ${cut}
    order by k.list, p.position ${range.backward ? sql`desc` : sql``}`;
}

/** Whether an entity is known: from its summaries, or from attestations in any period. */
export async function attestationEntityExists(db: Queryable, key: EntityKey): Promise<boolean> {
  const { network, idType, id } = key;
  const found = await rows(
    db,
    z.object({ yes: z.boolean() }),
    sql`/* attestationEntityExists */
    select exists (
        select from operator_summaries
        where network = ${network} and operator_id = ${id} and id_type = ${idType} and not superseded
      ) or exists (
        select from attestation_entities
        where network = ${network} and entity_id = ${id} and id_type = ${idType}
      ) as yes`,
  );
  return found[0]?.yes === true;
}
