import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import type { EntityKey } from '../../periods/sources.ts';
import { loadTag } from '../tags/loaders.ts';
import {
  type FigureField,
  type FigureName,
  type FigureQuery,
  type Figures,
  type LoadFigures,
  loadOperatorFigures,
  loadSetFigures,
  loadValidatorFigures,
} from './loaders.ts';

export type ReadFigures<Key> = <Name extends FigureName>(
  ctx: Context,
  key: Key,
  name: Name,
  query: FigureQuery<Name>,
  range: Range<number>,
  selection: Selection<FigureField<Name>>,
) => Promise<PeriodPage<Figures[Name]>>;

const pageOf =
  <Key>(load: LoadFigures<Key>): ReadFigures<Key> =>
  (ctx, key, name, query, range, selection) =>
    periodPage(range, (part, bare) => load(ctx, key, name, query, part, bare ? [] : selection));

/** Does not check ownership (`ownTag`). */
export const setFigures = pageOf(loadSetFigures);
export const validatorFigures = pageOf(loadValidatorFigures);

/** A private set's are empty for others than its owner. */
export const operatorFigures = pageOf<EntityKey>(async (ctx, key, ...asked) => {
  if (key.idType !== 'privateSet') return loadOperatorFigures(ctx, key, ...asked);
  const set = await loadTag(ctx, key.id);
  return set?.network === key.network ? loadSetFigures(ctx, set, ...asked) : [];
});
