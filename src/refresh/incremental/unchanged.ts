import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import { sql } from '../../db/rows.ts';
import { version } from '../../kernel/version.ts';
import type { StoredDays } from '../windows.ts';
import { run } from '../write.ts';

/** Whatever changes rows from which windows of operators are computed raises the revision of one of these in the same transaction. */
const datasets = [
  ...['validator-days', 'validators', 'validator-clients', 'operator-profiles', 'blocks', 'chain-balances'],
  'operators', // names of imported summaries, and the history with which figures are compared
];

/**
 * Names the facts of windows of operators. Call it before reading them: a change that commits meanwhile then makes the next
 * refresh compute the windows again. The revisions that refreshes have raised do not count.
 */
export async function namedFacts(
  client: pg.ClientBase,
  types: readonly string[],
  stored: StoredDays,
): Promise<string> {
  const { rows } = await run(
    client,
    sql`/* revisionsOfFacts */
    select string_agg(concat_ws(' ', name, revision - computed,
      case when name <> 'operators' then extract(epoch from refreshed_at) end), ', ' order by name) as revisions
    from datasets where name = any(${datasets}::text[]) and revision > computed`,
  );
  const days = createHash('sha256').update(JSON.stringify(stored)).digest('hex');
  return `stakegraph ${version}; ${[...types].sort().join(' ')}; ${rows[0].revisions}; days ${days}`;
}

export type Computed = { rows: number; facts: number };

/** The windows that were computed from these facts. */
export async function computedWindows(
  client: pg.ClientBase,
  network: Network,
  facts: string,
): Promise<Map<TimeWindow, Computed>> {
  const { rows } = await run(
    client,
    sql`/* computedWindows */
    select time_window as "window", rows, validators as facts from refreshed_windows
    where network = ${network} and facts = ${facts}`,
  );
  return new Map(rows.map(({ window, ...computed }) => [window, computed]));
}

/** Stores from which facts a window was computed. Call in the transaction that publishes the window. */
export const noteComputed = (
  client: pg.ClientBase,
  { network, window, facts }: { network: Network; window: TimeWindow; facts: string },
  computed: Computed,
) =>
  run(
    client,
    sql`/* noteComputed */
    insert into refreshed_windows as w (network, time_window, facts, validators, rows)
    values (${network}, ${window}, ${facts}, ${computed.facts}, ${computed.rows})
    on conflict (network, time_window) do update
      set (facts, validators, rows) = (excluded.facts, excluded.validators, excluded.rows)`,
  );

/** Notes that a refresh raised the revision of operators, and no import. Call afterwards, in the same transaction. */
export const noteOwnRevision = (client: pg.ClientBase) =>
  client.query(`/* noteOwnRevision */ update datasets set computed = computed + 1 where name = 'operators'`);
