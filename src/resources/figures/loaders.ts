import type { Context } from '../../context.ts';
import { batchListLoader } from '../../db/batch/loaders.ts';
import { listReader } from '../../db/batch/readers.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodQuery, type PeriodRow, rowsRead } from '../../periods/pages.ts';
import type { EntityKey, ValidatorOwner } from '../../periods/sources.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type FigureField,
  type FigureName,
  type FigureQuery,
  type Figures,
  operatorFigurePages,
  setFigurePages,
  validatorFigurePages,
} from './queries.ts';

export type { FigureField, FigureName, FigureQuery, Figures };

export type LoadFigures<Key> = <Name extends FigureName>(
  ctx: Context,
  key: Key,
  name: Name,
  query: FigureQuery<Name>,
  range: Range<number>,
  selection: Selection<FigureField<Name>>,
) => Promise<PeriodRow<Figures[Name]>[]>;

/** Does not check ownership. */
export const loadSetFigures: LoadFigures<SetKey> = (ctx, set, name, query, range, selection) =>
  batchListLoader<SetKey, PeriodRow<Figures[typeof name]>>(
    ctx.loaders,
    `set:${JSON.stringify([name, query, range, selection])}`,
    (key) => key.id,
    (sets) => setFigurePages(ctx.primary, sets, name, query, range, selection),
  )(set);

type Asked = [FigureName, PeriodQuery<never>, Range<number>, Selection<never>];
const rows = (...[, query, range]: Asked) => rowsRead(query, range);

export const loadOperatorFigures = listReader({
  keyOf: ({ network, idType, id }: EntityKey) => `${network} ${idType} ${id}`,
  load: operatorFigurePages,
  rows,
}) as LoadFigures<EntityKey>;

export const loadValidatorFigures = listReader({
  keyOf: validatorKeyText,
  load: validatorFigurePages,
  rows,
}) as LoadFigures<ValidatorOwner>;
