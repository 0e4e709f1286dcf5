import { type Calendar, dateOfDay, dayOfEpoch } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { type Stored, storedReader } from '../db/batch/stored.ts';
import { keyTable, raw, type Sql, sql } from '../db/rows.ts';
import type { PeriodQuery } from './read-plan.ts';
import type { EntityKey } from './sources.ts';

/** `figures` are computed from days of validators, which imported attestations do not have. */
type Kind = { utc: boolean; hourly: boolean; figures: boolean };

/**
 * Of the owner and, for classes that a refresh computes, of the network as a whole: on a day that only the network has,
 * the owner has nothing. Single validators have the days of validators.
 */
const loadStoredDates = storedReader({
  statement: 'storedDates',
  keys: (keys: readonly EntityKey[]) =>
    keyTable(keys, { network: ['text', 'network'], id_type: ['text', 'idType'], entity_id: ['text', 'id'] }),
  ends({ utc, hourly, figures }: Kind): Sql {
    const table = raw(hourly ? 'attestation_hours' : 'attestation_days');
    const ofEntity = sql`a.entity_key = e.entity_key and a.utc = ${utc} ${raw(figures ? 'and a.active_count is not null' : '')}`;
    const oneDay = (order: string, dates = 'validator_day_dates') => sql`(
        select d.date from ${raw(dates)} d
        where d.network = k.network and d.utc = ${utc} and k.id_type = 'validator'
        order by d.day ${raw(order)} limit 1
      )`;
    return sql`select min(date)::text as first, max(date)::text as last from (
      select x.date
      from (values (k.id_type, k.entity_id), ('network', k.network)) v (id_type, entity_id)
      join attestation_entities e on (e.network, e.id_type, e.entity_id) = (k.network, v.id_type, v.entity_id)
      cross join lateral (
        (select a.date from ${table} a where ${ofEntity} order by a.date limit 1)
        union all
        (select a.date from ${table} a where ${ofEntity} order by a.date desc limit 1)
      ) x
      where v.id_type <> 'network' or k.id_type <> 'entity'
      ${
        hourly
          ? sql``
          : sql`union all ${oneDay('asc')} union all ${oneDay('desc')}
        union all ${oneDay('asc', 'archived_day_dates')} union all ${oneDay('desc', 'archived_day_dates')}`
      }
    ) ends`;
  },
});

/** Hours are stored of attestations only. */
export const storedDates = (
  ctx: Parameters<typeof loadStoredDates>[0],
  { network, idType, id }: EntityKey,
  { calendar, granularity }: Pick<PeriodQuery<string>, 'calendar' | 'granularity'>,
  figures = false,
): Promise<Stored> | Stored =>
  granularity === 'hour' && figures
    ? { from: null, to: null }
    : loadStoredDates(
        ctx,
        { network, idType, id },
        { utc: calendar === 'utc', hourly: granularity === 'hour', figures },
      );

/** Epochs as the dates of their days. */
export function datesOf({ from, to }: Stored, network: Network, calendar: Calendar): Stored {
  const dateOf = (epoch: Stored['from']) =>
    epoch === null ? null : dateOfDay(network, dayOfEpoch(network, calendar, Number(epoch)));
  return { from: dateOf(from), to: dateOf(to) };
}
