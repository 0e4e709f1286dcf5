import type { Context } from '../../context.ts';
import { privateListReader } from '../../db/batch/loaders.ts';
import { listReader } from '../../db/batch/readers.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodRow, rowsRead } from '../../periods/pages.ts';
import type { PeriodQuery } from '../../periods/read-plan.ts';
import { type OperatorId, operatorIdText } from '../operators/loaders.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import {
  type FigureName,
  type Figures,
  type FiguresArguments,
  operatorFigurePages,
  setFigurePages,
  validatorFigurePages,
} from './queries.ts';

export type { FigureName, Figures, FiguresArguments };

export type LoadFigures<Key> = <Name extends FigureName>(
  ctx: Context,
  key: Key,
  ...args: FiguresArguments<Name>
) => Promise<PeriodRow<Figures[Name]>[]>;

/** Does not check ownership. */
export const loadSetFigures = privateListReader({
  name: 'figuresOfSet',
  keyOf: ({ id }: SetKey) => id,
  load: setFigurePages,
}) as LoadFigures<SetKey>;

type AnyFigure = [FigureName, PeriodQuery<never>, Range<number>, Selection<never>];
const rows = (...[, query, range]: AnyFigure) => rowsRead(query, range);

export const loadOperatorFigures = listReader({
  keyOf: operatorIdText,
  load: operatorFigurePages,
  rows,
}) as LoadFigures<OperatorId>;

export const loadValidatorFigures = listReader({
  keyOf: validatorKeyText,
  load: validatorFigurePages,
  rows,
}) as LoadFigures<ValidatorKey>;
