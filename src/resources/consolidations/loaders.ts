import type { EpochRange } from '../../chain/calendar.ts';
import type { Context } from '../../context.ts';
import { batchListLoader, batchTotal } from '../../kernel/batch.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import {
  type ConsolidationQuery,
  type ConsolidationRange,
  consolidationPages,
  consolidationTotals,
  entitiesByValidator,
  type Scope,
  type StoredRow,
} from './queries.ts';
import type { ConsolidationEntity } from './record.ts';

const keyOf = ({ network, validatorIndex, entity }: Scope) =>
  JSON.stringify([network, validatorIndex, entity?.idType, entity?.id]);

/** Lists of a statement are narrowed in the same way. */
const kindOf = ({ validatorIndex, entity }: Scope) =>
  `${validatorIndex === null ? '' : 'validator'}${entity === null ? '' : 'entity'}`;

/** A page of a list; those of every validator or operator on a page are one statement. */
export const loadConsolidations = (
  ctx: Context,
  scope: Scope,
  query: ConsolidationQuery,
  range: ConsolidationRange,
): Promise<StoredRow[]> =>
  batchListLoader<Scope, StoredRow>(
    ctx.loaders,
    `consolidations:${JSON.stringify([kindOf(scope), query, range])}`,
    keyOf,
    (scopes) => consolidationPages(ctx.db, scopes, query, range),
  )(scope);

/** How many rows a list has; those of many lists are one statement. */
export const loadConsolidationTotal = (ctx: Context, scope: Scope, epochs: EpochRange): Promise<number> =>
  batchTotal(ctx.loaders, `consolidationTotal:${JSON.stringify([kindOf(scope), epochs])}`, keyOf, (scopes) =>
    consolidationTotals(ctx.db, scopes, epochs),
  )(scope);

/** The entities of a validator; those of every validator on a page, on either side, are one statement. */
export const loadEntities = (ctx: Context, key: ValidatorKey): Promise<ConsolidationEntity[]> =>
  batchListLoader(ctx.loaders, 'consolidationEntities', validatorKeyText, (keys: readonly ValidatorKey[]) =>
    entitiesByValidator(ctx.db, keys),
  )(key);
