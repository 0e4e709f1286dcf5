import { createHash } from 'node:crypto';
import { stringify } from 'lossless-json';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Pool } from '../../db/pool.ts';

export type ShareList = { source: string; network: Network; window: TimeWindow };

export function shareDigest(row: Record<string, unknown>): string {
  const { displayName, operatorTags, validatorCount, poolId, nodeOperatorId } = row;
  const text = stringify([displayName, operatorTags, validatorCount, poolId, nodeOperatorId]);
  return createHash('sha256').update(String(text)).digest('base64');
}

export async function sharesWithoutParents(
  db: Pool,
  { source, network, window }: ShareList,
): Promise<Map<string, string>> {
  const { rows } = await db.query({
    text: `/* mirrorFruitlessShares */
      select operator_id, digest from mirror_fruitless_shares
      where (source, network, time_window) = ($1, $2, $3)`,
    values: [source, network, window],
  });
  return new Map(rows.map((row) => [row.operator_id as string, row.digest as string]));
}

export async function rememberSharesWithoutParents(
  db: Pool,
  { source, network, window }: ShareList,
  shares: ReadonlyMap<string, string>,
): Promise<void> {
  await db.query({
    text: `/* mirrorNoteFruitless */
      with forgotten as (
        delete from mirror_fruitless_shares
        where (source, network, time_window) = ($1, $2, $3) and operator_id <> all($4::text[])
      )
      insert into mirror_fruitless_shares (source, network, time_window, operator_id, digest)
      select $1, $2, $3, * from unnest($4::text[], $5::text[])
      on conflict (source, network, time_window, operator_id) do update set digest = excluded.digest`,
    values: [source, network, window, [...shares.keys()], [...shares.values()]],
  });
}
