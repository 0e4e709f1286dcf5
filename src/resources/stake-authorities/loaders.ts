import type { Context } from '../../context.ts';
import { batchRowLoader } from '../../kernel/batch.ts';
import { type Asked, askedName } from '../../kernel/row-form.ts';
import { type StakeAuthorityKey, type StakeAuthorityRow, stakeAuthoritiesByKey } from './queries.ts';
import type { StakeAuthorityField } from './record.ts';

const keyOf = (key: StakeAuthorityKey) => `${key.timeWindow}:${key.stakeAuthority}`;

/** One summary by its key; all that a request asks for in one step travel in one statement. */
export const loadStakeAuthority = (ctx: Context, key: StakeAuthorityKey, asked: Asked<StakeAuthorityField>) =>
  batchRowLoader<StakeAuthorityKey, StakeAuthorityRow>(
    ctx.loaders,
    `stakeAuthority:${askedName(asked)}`,
    keyOf,
    (keys) => stakeAuthoritiesByKey(ctx.db, keys, asked),
  )(key);
