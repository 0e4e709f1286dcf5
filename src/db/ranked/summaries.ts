import type { z } from 'zod';
import type { FirstSummary, Selection } from '../../fast-rows/index.ts';
import type { PlaceInOrder } from '../../kernel/page.ts';
import { rowReader } from '../batch/readers.ts';
import { changesColumn, changesRecord } from '../change-columns.ts';
import type { KeyColumns, Sql } from '../rows.ts';
import { type Bound, type Filter, filterOf, orderedPageReader, pagesByOrder } from './ordered-lists.ts';
import { pagesByRank, rankedPageReader, summariesByKey } from './ranked-lists.ts';

/** Statements on stored summaries: by key, and pages of their lists by rank and by other orders. */
export function summaryStatements<
  List extends object,
  Key extends object,
  Field extends string,
  Row extends Key,
>(of: {
  name: 'operator' | 'stake_authority';
  dataset: 'operators' | 'stake-authorities';
  /** Names of the statements. */
  statements: Record<'byKey' | 'pages' | 'byOrder', string>;
  list: KeyColumns<List>;
  key: KeyColumns<Key>;
  /** What a row of summaries `s` has, and the figures whose change is stored. */
  record: z.ZodObject;
  fields: Record<string, Sql>;
  trend: z.ZodObject;
  /** Fields that every row of a list has. */
  keys: readonly string[];
  /** Filters by least and largest values, and `others`. */
  bounds: Record<string, Bound>;
  others: Filter;
}) {
  const { name, dataset, statements, list: columns } = of;
  const rows = {
    record: of.record.extend({ change: changesRecord(of.trend) }),
    fields: { ...of.fields, change: changesColumn(of.trend, 's') },
    keys: of.keys,
  };
  const filter = filterOf(of.bounds, of.others);
  return {
    byKey: summariesByKey<Key, Field, Row>({
      statement: statements.byKey,
      table: `${name}_summaries`,
      columns: of.key,
      rows,
    }),
    pages: pagesByRank<List, Field, Row & { rank: number }>({
      ...{ statement: statements.pages, name, dataset, columns, rows },
    }),
    byOrder: pagesByOrder<List, Field, Row & PlaceInOrder>({
      ...{ statement: statements.byOrder, name, dataset, columns, rows, filter },
    }),
  };
}

type Statements<List extends object, Key extends object, Field extends string, Row extends Key> = ReturnType<
  typeof summaryStatements<List, Key, Field, Row>
>;

export const summaryReaders = <
  List extends object,
  Key extends object,
  Field extends string,
  Row extends Key,
>(
  { byKey, pages, byOrder }: Statements<List, Key, Field, Row>,
  keyOf: (key: Key) => string,
) => ({
  byKey: rowReader({ keyOf, load: byKey }),
  page: rankedPageReader(pages),
  ordered: orderedPageReader(byOrder),
});

/**
 * Loads an owner of summaries: by `readName`, or, if a query selects a summary `first`, from that one, and the name only if
 * there is no such summary.
 */
export const ownerReader =
  <Ctx, Id, Owner extends object, Field extends string>(
    readName: (ctx: Ctx, id: Id) => Promise<Owner | undefined>,
    readSummary: (
      ctx: Ctx,
      key: Id & { timeWindow: FirstSummary<Field>['window'] },
      selection: Selection<Field>,
    ) => Promise<Owner | undefined>,
  ) =>
  async (ctx: Ctx, id: Id, first?: FirstSummary<Field>): Promise<Owner | undefined> => {
    const row = first && (await readSummary(ctx, { ...id, timeWindow: first.window }, first.selection));
    const found = row ?? (await readName(ctx, id));
    return !first || row ? found : found && { ...found, withoutSummary: first.window };
  };
