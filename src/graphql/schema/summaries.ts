import { type GraphQLEnumType, type GraphQLResolveInfo, valueFromAST } from 'graphql';
import type { TimeWindow } from '../../chain/windows.ts';
import type { FirstSummary, Selection } from '../../fast-rows/index.ts';
import { summaryArgument } from '../../fast-rows/placeholders.ts';
import { builder } from './builder.ts';
import { TimeWindowEnum } from './enums.ts';

/** `timeWindow`: the row has the columns of this summary. `withoutSummary`: none is stored in this window. */
type Windowed = { timeWindow?: TimeWindow; withoutSummary?: TimeWindow };

export const isRead = ({ timeWindow, withoutSummary }: Windowed, { window }: { window: TimeWindow }) =>
  window === timeWindow || window === withoutSummary;

export const windowArgs = builder.args((t) => ({
  window: t.field({ type: TimeWindowEnum, required: true, description: 'The window.' }),
}));

/** The first summary that the query selects; it is read in the same statement as the row. */
export function firstSummary<Field extends string>(
  { fieldNodes: [node], schema, variableValues }: GraphQLResolveInfo,
  selection: Selection<Field>,
): FirstSummary<Field> | undefined {
  const given = node && summaryArgument(node);
  const type = schema.getType('TimeWindow') as GraphQLEnumType;
  const window = given && (valueFromAST(given, type, variableValues) as TimeWindow | null | undefined);
  return window ? { window, selection } : undefined;
}

export const withSummary = (paths: string[][], owner: string): string[][] =>
  paths.flatMap((path) => [path, [...path, 'summary'], [...path, 'summary', owner]]);

export const summaryPaths = (owner: string): string[][] => [[], [owner]];
