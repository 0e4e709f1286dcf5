import { SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import type { PeriodKeyField } from './record.ts';

/** SQL over rows `a` of keys `k`. `stored` is for an hour or a day, `gathered` for a longer period. */
export type Expression = { stored: Sql; gathered: Sql };

export const summed = (column: string): Expression => ({
  stored: raw(`a.${column}`),
  gathered: raw(`sum(a.${column})`),
});

export const last = (column: string): Expression => ({
  stored: raw(`a.${column}`),
  gathered: raw(`(array_agg(a.${column} order by a.day desc))[1]`),
});

const storedOnly = (stored: Sql, type: string): Expression => ({
  stored,
  gathered: raw(`null::${type}`),
});

const spanOnly = (gathered: Sql, type: string): Expression => ({ stored: raw(`null::${type}`), gathered });

const slotTime = (slot: Sql) => sql`to_timestamp(k.genesis + 12 * (${slot})::bigint)`;
const edge = (make: (epoch: Sql) => Sql, which: 'min(a.start_epoch)' | 'max(a.end_epoch)'): Expression => ({
  stored: make(which === 'min(a.start_epoch)' ? sql`a.start_epoch` : sql`a.end_epoch`),
  gathered: make(raw(which)),
});
const firstSlot = (epoch: Sql) => sql`(${epoch} * ${raw(String(SLOTS_PER_EPOCH))})`;
const lastSlot = (epoch: Sql) =>
  sql`(${epoch} * ${raw(String(SLOTS_PER_EPOCH))} + ${raw(String(SLOTS_PER_EPOCH - 1))})`;

export const periodKeys: Record<PeriodKeyField, Expression> = {
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
