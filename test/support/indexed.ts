import type { FollowReport } from '../../src/indexer/follow.ts';
import { type IndexOptions, runIndex } from '../../src/indexer/run.ts';
import { newStatus } from '../../src/indexer/status.ts';
import type { TestDatabase } from './gateway.ts';

type Options = Partial<Omit<IndexOptions, 'range'>> & {
  from?: number | 'head';
  firstFrom?: number | 'head' | undefined;
  to?: number;
};

/** Indexes into a database once, unless told otherwise; with what was said. */
export async function indexed(
  { url, pool }: TestDatabase,
  urls: readonly string[],
  { from, firstFrom, to, ...options }: Options = {},
): Promise<FollowReport & { said: string[] }> {
  const said: string[] = [];
  const boundary = (epoch: number | undefined) => (epoch === undefined ? undefined : { epoch });
  const begin = (epoch: number | 'head' | undefined) => (epoch === 'head' ? epoch : boundary(epoch));
  const report = await runIndex({
    ...{ urls, network: undefined, once: true, rate: undefined, labels: undefined, execution: undefined },
    ...{ relays: [], estimateMissed: false, database: { url, pool }, status: newStatus() },
    range: { from: begin(from), firstFrom: begin(firstFrom), to: boundary(to) },
    say: (_level, message) => said.push(message),
    onStored: () => undefined,
    onPublished: (_epoch, failures) => said.push(...failures),
    stop: new AbortController().signal,
    ...options,
  });
  return { ...report, said };
}

const plain = [
  ...['validators', 'validator_days', 'slashings', 'consolidations', 'chain_balances'],
  ...[
    'chain_daily_rewards',
    'index_late_penalties',
    'index_deposits',
    'index_state',
    'index_ranges',
    'index_periods',
  ],
];
/** Times, and the state that the chain saves for itself. */
const own = `'{written_at, state}'::text[]`;
const ofEntities = (
  table: string,
) => `select e.network, e.id_type, e.entity_id, to_jsonb(t) - 'entity_key' as row
  from ${table} t join attestation_entities e using (entity_key) order by 1, 2, 3, 4`;
const ofConsolidations = (
  table: string,
) => `select e.network, e.id_type, e.operator_id, e.share_of, to_jsonb(t) - 'entity' as row
  from ${table} t join consolidation_entities e using (entity) order by 1, 2, 3, 4, 5`;
const queries: Record<string, string> = {
  ...Object.fromEntries(
    ['consolidation_entities', 'entity_consolidations', 'consolidation_epochs'].map((table) => [
      table,
      ofConsolidations(table),
    ]),
  ),
  ...Object.fromEntries(
    plain.map((table) => [table, `select to_jsonb(t) - ${own} as row from ${table} t order by 1`]),
  ),
  blocks: 'select to_jsonb(t) as row from blocks t where finalized order by 1',
  attestation_days: ofEntities('attestation_days'),
  attestation_hours: ofEntities('attestation_hours'),
  sync_committee_rewards: `select network, slot, md5(string_agg(t::text, ' ' order by rank)) as row
    from sync_committee_rewards t group by 1, 2 order by 1, 2`,
  operators: `select s.network, s.time_window, s.id_type, l.pool_type, l.parent_type, l.parent_id, r.rank,
      to_jsonb(s) - 'summary_id' as row
    from operator_lists l join operator_ranks r using (list_id) join operator_summaries s using (summary_id)
    where l.superseded_at is null order by 1, 2, 3, 4, 5, 6, 7`,
};

/** Everything final that an index writes, without the numbers and times that a database makes for itself. */
export async function contentOf({ pool }: TestDatabase): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [name, text] of Object.entries(queries))
    found[name] = (await pool.query({ text, values: [] })).rows;
  return found;
}
