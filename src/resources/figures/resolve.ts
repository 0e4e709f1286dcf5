import type { Context } from '../../context.ts';
import type { PeriodQuery } from '../../periods/read-plan.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import { storedDates } from '../../periods/stored.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { loadSet } from '../private-sets/loaders.ts';
import { loadStoredSetDates } from '../private-sets/summary-loaders.ts';
import {
  type FigureName,
  type Figures,
  type FiguresArguments,
  type LoadFigures,
  loadOperatorFigures,
  loadSetFigures,
  loadValidatorFigures,
} from './loaders.ts';

export type ReadFigures<Key> = <Name extends FigureName>(
  ctx: Context,
  key: Key,
  ...args: FiguresArguments<Name>
) => Promise<PeriodPage<Figures[Name]>>;

const pageOf =
  <Key>(load: LoadFigures<Key>): ReadFigures<Key> =>
  (ctx, key, name, query, range, selection) =>
    periodPage(range, (part, bare) => load(ctx, key, name, query, part, bare ? [] : selection));

/** Does not check ownership (`ownSet`). */
export const figuresOfSet = pageOf(loadSetFigures);
export const validatorFigures = pageOf(loadValidatorFigures);

/** Does not check who owns a private set. */
export const storedFigures = (
  ctx: Context,
  key: OperatorId,
  query: PeriodQuery<string>,
): ReturnType<typeof storedDates> =>
  key.idType === 'privateSet'
    ? loadStoredSetDates(ctx, key, query.calendar === 'utc')
    : storedDates(ctx, key, query, true);

/** Empty for other accounts' private sets. */
export const operatorFigures = pageOf<OperatorId>(async (ctx, key, ...args) => {
  if (key.idType !== 'privateSet') return loadOperatorFigures(ctx, key, ...args);
  const set = await loadSet(ctx, key.id);
  return set?.network === key.network ? loadSetFigures(ctx, set, ...args) : [];
});
