import type pg from 'pg';
import type { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { ChainBalance } from '../resources/consolidation-totals/record.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';

const ImportedChainBalance = ChainBalance.extend({ network: Network });
export type ImportedChainBalance = z.infer<typeof ImportedChainBalance>;

const columnsOf = (rows: readonly ImportedChainBalance[]) => [
  rows.map((row) => row.network),
  rows.map((row) => row.epoch),
  rows.map((row) => row.totalActiveBalance),
];

/** Writes active balances in the client's transaction. */
export async function writeChainBalances(
  client: pg.ClientBase,
  rows: readonly ImportedChainBalance[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph chain balances'))`);
  let removed = 0;
  if (options.replace) {
    const gone = await client.query(
      `/* removeAbsentChainBalances */
      delete from chain_balances b
      where b.network = any($1::text[]) and not exists (
        select from unnest($2::text[], $3::int[]) as k (network, epoch)
        where (k.network, k.epoch) = (b.network, b.epoch)
      )`,
      [[...new Set(rows.map((row) => row.network))], ...columnsOf(rows).slice(0, 2)],
    );
    removed = gone.rowCount ?? 0;
  }
  const { rows: written } = await client.query(
    `/* importChainBalances */
    with written as (
      insert into chain_balances (network, epoch, total_active_balance)
      select * from unnest($1::text[], $2::int[], $3::bigint[])
      on conflict (network, epoch) do update set total_active_balance = excluded.total_active_balance
      returning (xmax = 0) as fresh
    )
    select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
    from written`,
    columnsOf(rows),
  );
  options.onProgress?.(rows.length);
  return { inserted: written[0]?.inserted ?? 0, updated: written[0]?.updated ?? 0, removed };
}

export const chainBalanceImporter: Importer<ImportedChainBalance> = {
  resource: 'chain-balances',
  check: (raw, { network }) =>
    ImportedChainBalance.safeParse(isObject(raw) ? decode(ImportedChainBalance, { network, ...raw }) : raw),
  key: (row) => `${row.network}:${row.epoch}`,
  write: writeChainBalances,
  // A file may hold any part of a chain.
  replacesBy: () => false,
};
