import type { Context } from '../../context.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import { loadFigures } from './loaders.ts';
import type { FigureName, FigureQuery, Figures } from './queries.ts';
import type { SetKey } from './set-days.ts';

/** Does not check ownership (`ownTag`). */
export const setFigures = <Name extends FigureName>(
  ctx: Context,
  name: Name,
  set: SetKey,
  query: FigureQuery<Name>,
  range: Range<number>,
  asked: readonly (keyof Figures[Name] & string)[],
): Promise<PeriodPage<Figures[Name]>> =>
  periodPage(range, (part, bare) => loadFigures(ctx, name, set, query, part, bare ? [] : asked));
