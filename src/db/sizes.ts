import type { Logger } from 'pino';
import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import { memberClasses } from './operator-members.ts';
import type { Pool } from './pool.ts';
import { queryOf, sql } from './rows.ts';

/** How much statements read, known before they run. */
export type Sizes = {
  /** Validators of an operator, exited ones too; 0 for an operator that is not among the largest hundred or so. */
  operator(idType: string, id: string): number;
  largestOperator: number;
  validators: number;
  consolidations: number;
  /** Number of chain days of a network of which days of validators are stored or archived. */
  days(network: string): number;
  /** First and last stored day of a calendar, without archived ones; undefined if there is none. */
  daysOf(network: string, utc: boolean): { first: number; last: number } | undefined;
  /** Validators of a network that are active. */
  active(network: string): number;
};

const RELOAD_MS = 60_000;

const Size = z.object({ kind: z.string(), id: z.string(), size: Leaf.count() });
type Size = z.infer<typeof Size>;

/**
 * PostgreSQL keeps these numbers: it counts tables and their most common values when it analyzes them, which autovacuum
 * does after a tenth of the rows has changed. A pool share is at most as large as its pool and its node operator.
 */
const readSizes = queryOf(
  Size,
  () => sql`/* sizes */
    with tables as (
      select relname as name, greatest(reltuples, 0) as size from pg_class
      where oid in (to_regclass('validators'), to_regclass('consolidations'))
    ), operators as materialized (
      select s.attname::text as kind, c.id, (c.share * t.size)::int as size
      from tables t
      join pg_stats s on s.schemaname = current_schema() and s.tablename = t.name
      cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) as c (id, share)
      where t.name = 'validators' and s.attname in ('deposit_address', 'withdrawal_address', 'node_operator', 'pool')
    )
    select name as kind, '' as id, size::int as size from tables
    union all
    select * from operators
    union all
    select 'pool_share', s.operator_id, max(least(n.size, p.size))
    from operators n
    join operators p on p.kind = 'pool'
    join operator_summaries s on (s.node_operator_id, s.pool_id) = (n.id, p.id)
    where n.kind = 'node_operator' and s.id_type = 'poolShare' and not s.superseded
    group by s.operator_id
    union all
    select 'days', network, count(*)::int from (
      select network from validator_day_dates where not utc union all select network from archived_day_dates where not utc
    ) d group by network
    union all
    select v.kind, d.network || ' ' || d.utc::text, v.day
    from (
      select network, utc, min(day) as first, max(day) as last from validator_day_dates group by network, utc
    ) d cross join lateral (values ('first_day', d.first), ('last_day', d.last)) v (kind, day)
    union all
    select 'active', network, sum(validators)::int from validator_counts where activated and not leaving group by network`,
);

/** One text for nodeOperator (REST), NODE_OPERATOR (GraphQL) and node_operator (a column). */
const plain = (idType: string): string => idType.replaceAll('_', '').toLowerCase();
const isClass = new Set<string>(memberClasses.map(plain));

function sizesOf(found: readonly Size[]): Sizes {
  const known = new Map(found.map(({ kind, id, size }) => [`${plain(kind)} ${id}`, size]));
  const operators = found.filter(({ kind }) => isClass.has(plain(kind)));
  return {
    operator: (idType, id) => known.get(`${plain(idType)} ${id}`) ?? 0,
    largestOperator: Math.max(0, ...operators.map(({ size }) => size)),
    validators: known.get('validators ') ?? 0,
    consolidations: known.get('consolidations ') ?? 0,
    days: (network) => known.get(`days ${network}`) ?? 0,
    daysOf(network, utc) {
      const [first, last] = ['first', 'last'].map((end) => known.get(`${end}day ${network} ${utc}`));
      return first === undefined || last === undefined ? undefined : { first, last };
    },
    active: (network) => known.get(`active ${network}`) ?? 0,
  };
}

export const noSizes = sizesOf([]);

/** Reads the sizes, and again each minute. While the database does not answer, the last ones stay. */
export async function openSizes(pool: Pool, log: Logger): Promise<{ current: Sizes; stop(): void }> {
  const sizes = { current: noSizes, stop: () => clearInterval(timer) };
  const read = async () => {
    try {
      sizes.current = sizesOf(await pool.withClient(readSizes));
    } catch (err) {
      log.warn({ err }, 'the sizes of operators could not be read; costs follow the last ones');
    }
  };
  await read();
  const timer = setInterval(read, RELOAD_MS).unref();
  return sizes;
}
