import type { Context } from '../../context.ts';
import type { Range, Slice } from '../../kernel/page.ts';
import { notFound, quoted } from '../../kernel/refusal.ts';
import { periodPage } from '../../periods/resolve.ts';
import { loadRewardPage } from './loaders.ts';
import { type RewardQuery, type RewardRow, rewardedValidatorExists } from './queries.ts';
import type { RewardsNetwork } from './record.ts';

export const REWARDS_SIZES = { defaultSize: 10, maxSize: 200 };

export type RewardList = { network: RewardsNetwork; validatorId: string | null };

/** `total` is null unless counted. */
export type RewardPage = Slice<RewardRow> & { total: number | null };

/** Throws NOT_FOUND for a validator without any row. A known one may have an empty page. */
export async function rewards(
  ctx: Context,
  { network, validatorId }: RewardList,
  query: RewardQuery,
  range: Range<number>,
  asked: readonly string[],
): Promise<RewardPage> {
  const read = (part: Range<number>, fields: readonly string[]) =>
    loadRewardPage(
      ctx,
      validatorId ?? '',
      { network, kind: validatorId === null ? 'network' : 'validator' },
      query,
      part,
      fields,
    );
  const page = await periodPage(range, (part, bare) => read(part, bare ? [] : asked));
  const seen = validatorId === null || page.rows.length > 0 || page.total;
  if (!seen && !(await rewardedValidatorExists(ctx.db, network, validatorId)))
    throw notFound(`Validator ${quoted(validatorId)}`, `on ${network}`);
  return page;
}

type Bounds = Record<'fromDate' | 'toDate', string | null> & {
  fromDay?: string | null;
  toDay?: string | null;
};

/** Intersects both ranges. */
export function rangeOf(bounds: Bounds): Pick<RewardQuery, 'fromDate' | 'toDate'> {
  const given = (...dates: (string | null | undefined)[]) => dates.filter((date) => date != null).sort();
  return {
    fromDate: given(bounds.fromDate, bounds.fromDay).at(-1) ?? null,
    toDate: given(bounds.toDate, bounds.toDay)[0] ?? null,
  };
}
