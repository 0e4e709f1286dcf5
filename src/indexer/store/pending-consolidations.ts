import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import type { EpochFacts, Registry } from '../chain/types.ts';

type Row = [source: number, target: number, amount: number, expectedEpoch: number | null];

/**
 * `process_pending_consolidations` drops slashed sources, and stops at the first source that is not withdrawable in the
 * next epoch.
 */
function rowsOf(
  { epoch, pendingConsolidations, balances, effectiveBalances }: EpochFacts,
  registry: Registry,
): Row[] {
  let next = epoch + 1;
  return pendingConsolidations.map(({ source, target }) => {
    const { slashed, withdrawableEpoch } = registry.record(source);
    const amount = Math.min(balances[source] as number, effectiveBalances[source] as number);
    if (slashed) return [source, target, 0, null];
    next = Math.max(next, withdrawableEpoch - 1);
    return [source, target, amount, Number.isFinite(next) ? next : null];
  });
}

export async function writePendingConsolidations(
  client: pg.ClientBase,
  network: Network,
  facts: EpochFacts,
  registry: Registry,
): Promise<boolean> {
  const rows = rowsOf(facts, registry);
  const { rows: stored } = await client.query<{ row: Row }>({
    text: `/* storedQueue */
      select source_index, target_index, amount::float8, expected_epoch from pending_consolidations
      where network = $1 order by position`,
    values: [network],
    rowMode: 'array',
  } as never);
  if (JSON.stringify(stored) === JSON.stringify(rows)) return false;
  await client.query('/* removeQueue */ delete from pending_consolidations where network = $1', [network]);
  const column = (at: number) => rows.map((row) => row[at]);
  await client.query(
    `/* writeQueue */
    insert into pending_consolidations (network, position, source_index, target_index, amount, expected_epoch)
    select $1, (place - 1)::int, source, target, amount, expected
    from unnest($2::int[], $3::int[], $4::bigint[], $5::int[]) with ordinality
      as q (source, target, amount, expected, place)`,
    [network, column(0), column(1), column(2), column(3)],
  );
  return true;
}
