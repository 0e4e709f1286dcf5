import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { type AddedAmount, addToMonths } from '../../ingest/importers/validator-months.ts';
import { monthKey, type SummedPart } from '../windows.ts';

/**
 * Adds amounts that were added to rewards of chain days to the sums that contain them, which need not be summed again.
 */
export async function addToSums(
  client: pg.ClientBase,
  network: Network,
  added: readonly AddedAmount[],
): Promise<void> {
  if (added.length === 0) return;
  await addToMonths(client, network, added);
  await addToWindows(client, network, added);
}

async function addToWindows(client: pg.ClientBase, network: Network, added: readonly AddedAmount[]) {
  // A separate statement, so that the next one sees what a refresh commits while this one waits.
  const { rows } = await client.query<{ parts: [string, SummedPart][] | null }>(
    '/* lockSums */ select parts from kept_sums where network = $1 for update',
    [network],
  );
  const parts = new Map(rows[0]?.parts);
  const windows = new Map<string, AddedAmount[]>();
  for (const one of added)
    for (const key of [one.date, monthKey(`${one.date.slice(0, 7)}-01`)])
      for (const [window, [, apr]] of Object.entries(parts.get(key)?.shares ?? {})) {
        if (apr !== 1) continue;
        const amounts = windows.get(window);
        if (amounts) amounts.push(one);
        else windows.set(window, [one]);
      }
  for (const [window, amounts] of windows)
    await client.query(
      `/* addToWindows */
      update window_sums s set apr_rewards_${window} = s.apr_rewards_${window} + g.amount
      from (
        select validator_index, sum(amount)::bigint as amount
        from unnest($2::int[], $3::bigint[]) as g (validator_index, amount) group by 1
      ) g
      where s.network = $1 and s.validator_index = g.validator_index`,
      [network, amounts.map(({ validator }) => validator), amounts.map(({ amount }) => amount)],
    );
}
