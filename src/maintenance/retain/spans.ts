import type pg from 'pg';
import { SPAN, spanParts } from '../../db/epoch-spans.ts';
import { type Queryable, transaction } from '../../db/pool.ts';
import { newestEpoch } from '../../refresh/solana-epochs.ts';
import { attempted, dropInOrder, keptDate, type Run } from './dropping.ts';
import type { StoredPart } from './needed.ts';
import { dropTable, RefusedPart } from './parts.ts';

const dataset = 'solana-stake-authority-epochs';
const table = 'solana_stake_authority_epochs';

/** Drops spans of epochs of stake authorities. Their sums stay. */
export async function retainSpans(run: Run, days: number): Promise<void> {
  const { pool, tell, now = new Date(), lockTimeoutMs = 500 } = run;
  const about = { dataset, table, network: 'solana', rows: 0, bytes: 0, seconds: 0 } as const;
  const newest = await newestDate(pool);
  if (!newest) return tell({ ...about, state: 'nothing' });
  const before = keptDate(days, now, newest);
  const spans = (await spansOf(pool)).filter((span) => span.before <= before);
  const old = spans.map(({ first: _, ...part }) => part);
  if (old.length === 0) return tell({ ...about, before, state: 'nothing' });
  const firstOf = ({ part }: StoredPart) => (spans.find((span) => span.part === part) as Span).first;
  await dropInOrder(run, about, old, {
    whyNeeded: (client, part) => whyNeeded(client, firstOf(part)),
    drop: (part, what) =>
      attempted(run, what, { datasets: [dataset], of: [] }, (client) =>
        dropSpan(client, part, firstOf(part), lockTimeoutMs),
      ),
  });
}

const newestDate = (pool: Run['pool']): Promise<string | undefined> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<{ date: string }>(
      `/* newestEpochDate */ select (ended_at at time zone 'UTC')::date::text as date from solana_epochs where epoch = $1`,
      [(await newestEpoch(client)) ?? null],
    );
    return rows[0]?.date;
  });

type Span = StoredPart & { first: number };

/** Ascending; `before` is the date after the end of its last epoch. Spans of unknown epochs end before the next one. */
async function spansOf(db: Queryable): Promise<Span[]> {
  const { rows } = await db.query({
    text: `/* spansOf */
      select part, first, "from", min(ended) over (order by first rows between current row and unbounded following)::text as before,
        greatest(rows, 0) as rows, bytes
      from (
        select c.relname as part, b.first, e."from", e.ended, c.reltuples::float8 as rows,
          pg_total_relation_size(c.oid)::float8 as bytes
        from ${spanParts.sql} b join pg_class c using (oid)
        cross join lateral (
          select (min(ended_at) at time zone 'UTC')::date::text as "from", (max(ended_at) at time zone 'UTC')::date + 1 as ended
          from solana_epochs where epoch >= b.first and epoch < b.first + ${SPAN.sql}
        ) e
      ) s order by first`,
    values: [],
  });
  return (rows as Span[]).filter(({ before }) => before !== null);
}

/** What a refresh has not summed yet. */
async function whyNeeded(client: pg.ClientBase, first: number): Promise<string | undefined> {
  const { rows: spans } = await client.query<{ due: boolean }>(
    '/* dueOfSpan */ select due from solana_epoch_spans where first_epoch = $1',
    [first],
  );
  const { rows: stored } = await client.query<{ epoch: number; summed: boolean }>(
    `/* storedEpochs */
    select e as epoch, coalesce(e = any(s.epochs), false) as summed
    from generate_series($1::int, $1::int + ${SPAN.sql} - 1) e left join solana_epoch_spans s on s.first_epoch = $1
    where exists (select from ${table} a where a.epoch = e) order by e`,
    [first],
  );
  if (stored.length === 0) return undefined;
  if (spans[0]?.due !== false)
    return 'the window all of stake authorities does not have its sums yet: run stakegraph refresh --only solana --windows all first.';
  const missing = stored.find(({ summed }) => !summed)?.epoch;
  if (missing === undefined) return undefined;
  return `epoch ${missing} is not in any window yet, because solana-epochs or solana-validator-epochs has no row of it: import its rows, and run stakegraph refresh --only solana --windows all.`;
}

async function dropSpan(client: pg.ClientBase, part: StoredPart, first: number, lockTimeoutMs: number) {
  await client.query(`/* lockTimeout */ select set_config('lock_timeout', $1, true)`, [`${lockTimeoutMs}ms`]);
  // Imports of epochs and validators of the span update this row too, so they wait.
  await client.query('/* lockSpan */ select from solana_epoch_spans where first_epoch = $1 for update', [
    first,
  ]);
  const needed = await whyNeeded(client, first);
  if (needed) throw new RefusedPart(needed);
  await dropTable(client, { dataset, revision: dataset, of: ['solana'] }, part);
}
