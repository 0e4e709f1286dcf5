import type { EpochRange } from '../../chain/calendar.ts';
import type { Context } from '../../context.ts';
import { listReader, totalReader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Range } from '../../kernel/page.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type ConsolidationQuery,
  consolidationPages,
  consolidationTotals,
  entitiesByValidator,
  type Position,
  type Scope,
} from './queries.ts';
import { entityClasses } from './record.ts';

const keyOf = ({ network, validatorIndex, entity }: Scope) =>
  JSON.stringify([network, validatorIndex, entity?.idType, entity?.id]);

/** Lists of a statement are narrowed in the same way. */
const kindOf = ({ validatorIndex, entity }: Scope) =>
  `${validatorIndex === null ? '' : 'validator'}${entity === null ? '' : 'entity'}`;

const readPage = listReader({
  keyOf,
  load: (
    db: Queryable,
    scopes: readonly Scope[],
    _kind: string,
    query: ConsolidationQuery,
    range: Range<Position>,
  ) => consolidationPages(db, scopes, query, range),
});

/** A page of a list; those of every validator or operator on a page are one statement. */
export const loadConsolidations = (
  ctx: Context,
  scope: Scope,
  query: ConsolidationQuery,
  range: Range<Position>,
) => readPage(ctx, scope, kindOf(scope), query, range);

const readTotal = totalReader({
  keyOf,
  load: (db: Queryable, scopes: readonly Scope[], _kind: string, epochs: EpochRange) =>
    consolidationTotals(db, scopes, epochs),
});

/** How many rows a list has; those of many lists are one statement. */
export const loadConsolidationTotal = (ctx: Context, scope: Scope, epochs: EpochRange): Promise<number> =>
  readTotal(ctx, scope, kindOf(scope), epochs);

/** The entities of a validator; those of every validator on a page, on either side, are one statement. */
export const loadEntities = listReader({
  keyOf: validatorKeyText,
  load: entitiesByValidator,
  rows: () => entityClasses.length,
});
