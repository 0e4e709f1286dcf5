import type { Context } from '../../context.ts';
import { privateListReader, privateTotalReader } from '../../db/batch/loaders.ts';
import { listReader, pageReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { storedEpochs, storedReader } from '../../db/batch/stored.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/rows.ts';
import type { Ends, Range } from '../../kernel/page.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type ConsolidationPlace,
  type ConsolidationQuery,
  consolidationPages,
  consolidationsBySource,
  consolidationTotals,
  entitiesByValidator,
  pendingConsolidationPages,
  pendingConsolidationsBySource,
  pendingConsolidationTotals,
  type QueueKey,
  type QueueRow,
  type Scope,
  type SourceKey,
  setConsolidationPages,
  setConsolidationTotals,
} from './queries.ts';
import { entityClasses } from './record.ts';

export type { QueueRow };

const keyOf = ({ network, validatorIndex, entity }: Scope) =>
  JSON.stringify([network, validatorIndex, entity?.idType, entity?.id]);

const kindOf = ({ validatorIndex, entity }: Scope) =>
  `${validatorIndex === null ? '' : 'validator'}${entity === null ? '' : 'entity'}`;

const readPage = listReader({
  keyOf,
  load: (
    db: Queryable,
    scopes: readonly Scope[],
    _kind: string,
    query: ConsolidationQuery,
    range: Range<ConsolidationPlace>,
  ) => consolidationPages(db, scopes, query, range),
});

export const loadConsolidations = (
  ctx: Context,
  scope: Scope,
  query: ConsolidationQuery,
  range: Range<ConsolidationPlace>,
) => readPage(ctx, scope, kindOf(scope), query, range);

const readTotal = totalReader({
  keyOf,
  load: (db: Queryable, scopes: readonly Scope[], _kind: string, epochs: Ends) =>
    consolidationTotals(db, scopes, epochs),
});

export const loadConsolidationTotal = (ctx: Context, scope: Scope, epochs: Ends): Promise<number> =>
  readTotal(ctx, scope, kindOf(scope), epochs);

export const loadSetConsolidations = privateListReader({
  name: 'consolidationsOfSet',
  keyOf: ({ id }: SetKey) => id,
  load: setConsolidationPages,
});

export const loadSetConsolidationTotal = privateTotalReader({
  name: 'setConsolidationTotal',
  keyOf: ({ id }: SetKey) => id,
  load: setConsolidationTotals,
});

export const sourceText = ({ network, sourceValidatorIndex }: SourceKey) =>
  `${network}:${sourceValidatorIndex}`;

export const loadConsolidation = rowReader({ keyOf: sourceText, load: consolidationsBySource });

export const loadEntities = listReader({
  keyOf: validatorKeyText,
  load: entitiesByValidator,
  rows: () => entityClasses.length,
});

export const loadStoredConsolidationEpochs = storedReader({
  statement: 'storedConsolidationEpochs',
  ends: () => storedEpochs(sql`c.epoch`, sql`consolidations c where c.network = k.network`),
});

const queueText = ({ network, validatorIndex }: QueueKey) => `${network} ${validatorIndex}`;

export const loadPendingConsolidation = rowReader({ keyOf: sourceText, load: pendingConsolidationsBySource });

export const loadPendingConsolidations = pageReader({ keyOf: queueText, load: pendingConsolidationPages });

export const loadPendingConsolidationTotal = totalReader({
  keyOf: queueText,
  load: pendingConsolidationTotals,
});
