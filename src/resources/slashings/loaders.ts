import type { Context } from '../../context.ts';
import { batchListLoader } from '../../db/batch/loaders.ts';
import { listReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { networkKeys, storedEpochs, storedReader } from '../../db/batch/stored.ts';
import { sql } from '../../db/rows.ts';
import type { Ends, Range } from '../../kernel/page.ts';
import { operatorIdText } from '../operators/loaders.ts';
import { pubkeyText, validatorKeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  type SetKey,
  type SlashingList,
  type SlashingPosition,
  type SlashingRow,
  setSlashingPages,
  setSlashingTotals,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

export const loadSlashing = rowReader({ keyOf: validatorKeyText, load: slashingsByValidator });

/** Of what an index has processed, and of the stored rows. */
export const loadStoredSlashingEpochs = storedReader({
  statement: 'storedSlashingEpochs',
  keys: networkKeys,
  ends: () => storedEpochs(sql`s.slashing_epoch`, sql`slashings s where s.network = k.network`),
});

/** Public keys must be in lower case. */
export const loadSlashingByPubkey = rowReader({ keyOf: pubkeyText, load: slashingsByPubkey });

export const loadOperatorSlashings = listReader({
  keyOf: operatorIdText,
  load: operatorSlashingPages,
});

export const loadOperatorSlashingTotal = totalReader({
  keyOf: operatorIdText,
  load: operatorSlashingTotals,
});

/** Does not check who owns the set. */
export const loadSetSlashings = (
  ctx: Context,
  set: SetKey,
  list: Pick<SlashingList, 'epochs' | 'order'>,
  range: Range<SlashingPosition>,
): Promise<SlashingRow[]> =>
  batchListLoader(
    ctx.loaders,
    `setSlashings:${JSON.stringify([list, range])}`,
    (key: SetKey) => key.id,
    (sets) => setSlashingPages(ctx.primary, sets, list, range),
  )(set);

/** Does not check who owns the set. */
export const loadSetSlashingTotal = async (ctx: Context, set: SetKey, epochs: Ends): Promise<number> => {
  const read = batchListLoader(
    ctx.loaders,
    `setSlashingTotal:${JSON.stringify(epochs)}`,
    (key: SetKey) => key.id,
    (sets) => setSlashingTotals(ctx.primary, sets, epochs),
  );
  return (await read(set))[0]?.total ?? 0;
};
