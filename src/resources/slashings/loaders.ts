import type { Context } from '../../context.ts';
import { batchLoader } from '../../kernel/batch.ts';
import { type SlashingKey, type SlashingRow, slashingsByValidator } from './queries.ts';

const keyOf = (key: SlashingKey) => `${key.network}:${key.validatorIndex}`;

/** The slashing of a validator, or undefined; all that a request asks for in one step travel in one statement. */
export const loadSlashing = (ctx: Context, key: SlashingKey) =>
  batchLoader<SlashingKey, SlashingRow>(ctx.loaders, 'slashing', keyOf, async (keys) => {
    const found = await slashingsByValidator(ctx.db, keys);
    return new Map(found.map((row) => [keyOf(row), row]));
  }).load(key);
