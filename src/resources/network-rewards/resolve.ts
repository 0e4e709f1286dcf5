import type { Context } from '../../context.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { notFound, quoted } from '../../kernel/refusal.ts';
import { parseDate } from '../../kernel/time.ts';
import { periodPage } from '../../periods/resolve.ts';
import { loadRewardPage } from './loaders.ts';
import {
  type RankedPosition,
  type RankedReward,
  type RankedRewards,
  type RewardDay,
  type RewardQuery,
  type RewardRow,
  rankedRewards,
  rewardedValidatorExists,
  rewardedValidators,
} from './queries.ts';
import { definitions, type RewardsNetwork } from './record.ts';

export const REWARDS_SIZES = { defaultSize: 10, maxSize: 200 };

/** `known`: whether the caller knows that the validator has a row. */
export type RewardList = { network: RewardsNetwork; validatorId: string | null; known?: boolean };

export type RewardPage = Slice<RewardDay> & { total: number | null };

/** Throws NOT_FOUND for a validator without rows on any day. */
export async function rewards(
  ctx: Context,
  { network, validatorId, known }: RewardList,
  query: RewardQuery,
  range: Range<number>,
  fieldNames: readonly string[],
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
  const page = await periodPage(range, (part, bare) => read(part, bare ? [] : fieldNames));
  const seen = known || validatorId === null || page.rows.length > 0 || page.total;
  if (!seen && !(await rewardedValidatorExists(ctx.db, network, validatorId)))
    throw notFound(`Validator ${quoted(validatorId)}`, `on ${network}`);
  return page;
}

const newest: RewardQuery = { fromDate: null, toDate: null, sortBy: 'day', sortOrder: 'desc' };

export async function newestReward(
  ctx: Context,
  network: RewardsNetwork,
  id: string,
  fieldNames: readonly string[],
): Promise<RewardRow | undefined> {
  const table = { network, kind: 'validator' } as const;
  return (await loadRewardPage(ctx, id, table, newest, { limit: 1, rowsOnly: true }, fieldNames))[0];
}

const rankedListName = ({ network, date, order }: RankedRewards) =>
  `networkValidators:${JSON.stringify([network, date, order.field, order.direction])}`;

export function rankedRewardCursors(list: RankedRewards) {
  const { id, idField } = definitions[list.network];
  return placeCursors(
    rankedListName(list),
    [
      (day) => parseDate(String(day)) !== undefined,
      /^\d{1,60}(\.\d{1,60})?$/,
      (key) => id.read(String(key)) === String(key),
    ],
    (row: RankedReward) => [row.day, row.amount, String(row[idField])],
    (day, amount, key): RankedPosition => ({ day: String(day), amount, id: String(key) }),
  );
}

/** Later pages keep the day of the first page, even if a newer day is stored meanwhile. */
export const networkValidators = async (
  ctx: Context,
  list: RankedRewards,
  range: Range<RankedPosition>,
  fieldNames: readonly string[],
): Promise<Slice<RankedReward>> => slice(await rankedRewards(ctx.db, list, range, fieldNames), range);

export const totalNetworkValidators = (
  ctx: Context,
  network: RewardsNetwork,
  date: string | null,
): Promise<number> => rewardedValidators(ctx.db, network, date);

type Bounds = Record<'fromDate' | 'toDate', string | null> & {
  fromDay?: string | null;
  toDay?: string | null;
};

export function rangeOf(bounds: Bounds): Pick<RewardQuery, 'fromDate' | 'toDate'> {
  const given = (...dates: (string | null | undefined)[]) => dates.filter((date) => date != null).sort();
  return {
    fromDate: given(bounds.fromDate, bounds.fromDay).at(-1) ?? null,
    toDate: given(bounds.toDate, bounds.toDay)[0] ?? null,
  };
}
