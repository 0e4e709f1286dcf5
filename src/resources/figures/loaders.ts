import type { Context } from '../../context.ts';
import { batchListLoader } from '../../db/batch/loaders.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import type { PeriodRow } from '../../periods/pages.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import {
  type FigureField,
  type FigureName,
  type FigureQuery,
  type Figures,
  setFigurePages,
} from './queries.ts';

export type { FigureField, FigureName, FigureQuery, Figures };

/** Does not check ownership. */
export const loadSetFigures = <Name extends FigureName>(
  ctx: Context,
  name: Name,
  set: SetKey,
  query: FigureQuery<Name>,
  range: Range<number>,
  selection: Selection<FigureField<Name>>,
): Promise<PeriodRow<Figures[Name]>[]> =>
  batchListLoader<SetKey, PeriodRow<Figures[Name]>>(
    ctx.loaders,
    `set:${JSON.stringify([name, query, range, selection])}`,
    (key) => key.id,
    (sets) => setFigurePages(ctx.primary, name, sets, query, range, selection),
  )(set);
