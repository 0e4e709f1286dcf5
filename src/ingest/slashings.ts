import type pg from 'pg';
import { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { Slashing } from '../resources/slashings/record.ts';
import { type ImportCounts, type Importer, isObject, type WriteOptions } from './importer.ts';

const Shape = Slashing.extend({ network: Network });

/** What fields say of one another; asked only of rows whose fields fit. */
const ImportedSlashing = Shape.pipe(z.custom<z.infer<typeof Shape>>()).superRefine((row, context) => {
  const expected = BigInt(row.balanceBeforeSlashing) - BigInt(row.balanceBeforeWithdrawal);
  if (BigInt(row.slashingPenalties) !== expected) {
    context.addIssue({
      code: 'custom',
      path: ['slashingPenalties'],
      message: `is ${row.slashingPenalties}; balanceBeforeSlashing − balanceBeforeWithdrawal is ${expected}`,
    });
  }
  if (row.withdrawableEpoch < row.slashingEpoch) {
    context.addIssue({
      code: 'custom',
      path: ['withdrawableEpoch'],
      message: `is ${row.withdrawableEpoch}, before slashingEpoch ${row.slashingEpoch}`,
    });
  }
});
export type ImportedSlashing = z.infer<typeof ImportedSlashing>;

const BATCH = 1_000;

/** Writes slashings in the client's transaction. */
export async function writeSlashings(
  client: pg.ClientBase,
  rows: readonly ImportedSlashing[],
  options: WriteOptions,
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph slashings'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) {
    const removed = await client.query(
      `/* removeAbsentSlashings */
      delete from slashings where network = any($1::text[])
        and (network, validator_index) not in (select * from unnest($2::text[], $3::int[]))`,
      [
        [...new Set(rows.map((row) => row.network))],
        rows.map((row) => row.network),
        rows.map((row) => row.validatorIndex),
      ],
    );
    counts.removed = removed.rowCount ?? 0;
  }
  for (let start = 0; start < rows.length; start += BATCH) {
    const { rows: written } = await client.query(
      `/* importSlashings */
      with written as (
        insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
          balance_before_slashing, balance_before_withdrawal, slashing_penalties)
        select network, "validatorIndex", "validatorPubkey", "slashingEpoch", "withdrawableEpoch",
          "balanceBeforeSlashing", "balanceBeforeWithdrawal", "slashingPenalties"
        from jsonb_to_recordset($1::jsonb) as r (network text, "validatorIndex" int, "validatorPubkey" text,
          "slashingEpoch" int, "withdrawableEpoch" int, "balanceBeforeSlashing" bigint,
          "balanceBeforeWithdrawal" bigint, "slashingPenalties" bigint)
        on conflict (network, validator_index) do update set
          validator_pubkey = excluded.validator_pubkey, slashing_epoch = excluded.slashing_epoch,
          withdrawable_epoch = excluded.withdrawable_epoch,
          balance_before_slashing = excluded.balance_before_slashing,
          balance_before_withdrawal = excluded.balance_before_withdrawal,
          slashing_penalties = excluded.slashing_penalties
        returning (xmax = 0) as fresh
      )
      select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
      from written`,
      [JSON.stringify(rows.slice(start, start + BATCH))],
    );
    counts.inserted += written[0]?.inserted ?? 0;
    counts.updated += written[0]?.updated ?? 0;
    options.onProgress?.(Math.min(rows.length, start + BATCH));
  }
  return counts;
}

export const slashingImporter: Importer<ImportedSlashing> = {
  resource: 'slashings',
  check: (raw, { network }) => {
    const value = decode(Shape, raw);
    return ImportedSlashing.safeParse(isObject(value) ? { network, ...value } : value);
  },
  key: (row) => `${row.network}:${row.validatorIndex}`,
  write: writeSlashings,
  // A slashing never goes away, and a body may begin at a day: a shorter list removes nothing by itself.
  replacesBy: () => false,
};
