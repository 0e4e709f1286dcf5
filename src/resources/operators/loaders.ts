import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import {
  type ListKey,
  type OperatorKey,
  type OperatorRow,
  operatorPages,
  operatorsByKey,
  type RankedOperatorRow,
} from './queries.ts';
import type { OperatorField } from './record.ts';

export type { OperatorKey };

/** A text that two keys share only when they are equal. */
export const operatorKeyText = (key: OperatorKey) =>
  JSON.stringify([key.network, key.idType, key.timeWindow, key.id]);

/** One summary by its key; all that a request asks for in one step travel in one statement. */
export const loadOperator = (ctx: Context, key: OperatorKey, asked: readonly OperatorField[]) =>
  batchLoader<OperatorKey, OperatorRow>(
    ctx.loaders,
    `operator:${asked.join()}`,
    operatorKeyText,
    async (keys) => {
      const found = await operatorsByKey(ctx.db, keys, asked);
      return new Map(found.map((row) => [operatorKeyText(row), row]));
    },
  ).load(key);

const listKeyOf = (list: ListKey) =>
  JSON.stringify([
    ...[list.network, list.idType, list.timeWindow, list.poolType, list.parentType, list.parentId],
    list.revision,
  ]);

/** A page of a list; the pages of many lists (the pool shares of each operator on a page) are one statement. */
export const loadOperatorPage = async (
  ctx: Context,
  list: ListKey,
  range: Range<number>,
  asked: readonly OperatorField[],
): Promise<RankedOperatorRow[]> =>
  (await batchListLoader<ListKey, RankedOperatorRow>(
    ctx.loaders,
    `operatorPage:${JSON.stringify([range, asked])}`,
    listKeyOf,
    (lists) => operatorPages(ctx.db, lists, range, asked),
  ).load(list)) ?? [];
