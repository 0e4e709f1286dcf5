import type { ObjectRef } from '@pothos/core';
import { type GraphQLEnumType, type GraphQLResolveInfo, valueFromAST } from 'graphql';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { FirstSummary, Selection } from '../../fast-rows/index.ts';
import { summaryArgument } from '../../fast-rows/placeholders.ts';
import { IN_PAGE, IN_ROW, selectedOf, selectionFor } from '../../fast-rows/selection.ts';
import { builder, type Schema } from './builder.ts';
import { TimeWindowEnum } from './enums.ts';

const withSummary = (paths: string[][], owner: string): string[][] =>
  paths.flatMap((path) => [path, [...path, 'summary'], [...path, 'summary', owner]]);

/** The first summary that the query selects; it is read in the same statement as the row. */
function firstSummary<Field extends string>(
  { fieldNodes: [node], schema, variableValues }: GraphQLResolveInfo,
  selection: Selection<Field>,
): FirstSummary<Field> | undefined {
  const given = node && summaryArgument(node);
  const type = schema.getType('TimeWindow') as GraphQLEnumType;
  const window = given && (valueFromAST(given, type, variableValues) as TimeWindow | null | undefined);
  return window ? { window, selection } : undefined;
}

/**
 * What a query selects of the figures `fields` of an owner's summaries, whose field `owner` leads back. `shown`: names in
 * GraphQL of columns that have another name there.
 */
export function summarySelections<Field extends string>(
  owner: string,
  fields: readonly Field[],
  shown: Partial<Record<Field, string>>,
) {
  const [inRow, inPage] = [withSummary(IN_ROW, owner), withSummary(IN_PAGE, owner)];
  return {
    ofPage: (info: GraphQLResolveInfo) => selectionFor(info, fields, inPage, shown),
    ofSummary: (info: GraphQLResolveInfo) => selectionFor(info, fields, [[], [owner]], shown),
    first: (info: GraphQLResolveInfo) => firstSummary(info, selectionFor(info, fields, inRow, shown)),
    /** The first summary of an owner that is read beside a row of another kind. */
    firstBeside: (info: GraphQLResolveInfo) => firstSummary(info, selectedOf(info, fields, inRow, shown)),
  };
}

/** `timeWindow`: the row has the columns of this summary. `withoutSummary`: none is stored in this window. */
type Windowed = { timeWindow?: TimeWindow; withoutSummary?: TimeWindow };

/** The field `summary` of rows that may have the columns of a summary already. */
export function summaryField<Owner extends Windowed, Summary extends object>(
  owner: ObjectRef<Schema, Owner, Owner>,
  type: ObjectRef<Schema, Summary, Summary>,
  operation: string,
  load: (
    ctx: Context,
    row: Owner,
    window: TimeWindow,
    info: GraphQLResolveInfo,
  ) => Promise<Summary | undefined>,
): void {
  const isRead = ({ timeWindow, withoutSummary }: Windowed, { window }: { window: TimeWindow }) =>
    window === timeWindow || window === withoutSummary;
  builder.objectField(owner, 'summary', (t) =>
    t.field({
      type,
      nullable: true,
      extensions: { operation, isRead, givesRow: true, ownRow: true },
      description:
        'Its figures in a window; null when it has none there. Costs nothing more in a list of the same window.',
      args: { window: t.arg({ type: TimeWindowEnum, required: true, description: 'The window.' }) },
      resolve: (row, { window }, ctx, info) => {
        const none = window === row.withoutSummary;
        return (none ? null : window === row.timeWindow ? row : load(ctx, row, window, info)) as never;
      },
    }),
  );
}
