import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import {
  type FigureField,
  type FigureName,
  type FigureQuery,
  type Figures,
  loadSetFigures,
} from './loaders.ts';

/** Does not check ownership (`ownTag`). */
export const setFigures = <Name extends FigureName>(
  ctx: Context,
  name: Name,
  set: SetKey,
  query: FigureQuery<Name>,
  range: Range<number>,
  selection: Selection<FigureField<Name>>,
): Promise<PeriodPage<Figures[Name]>> =>
  periodPage(range, (part, bare) => loadSetFigures(ctx, name, set, query, part, bare ? [] : selection));
