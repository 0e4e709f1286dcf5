import { type GraphQLEnumType, type GraphQLResolveInfo, valueFromAST } from 'graphql';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Early, EarlyRow, Selection } from '../../fast-rows/index.ts';
import { summaryArgument } from '../../fast-rows/placeholders.ts';
import { badArgument } from '../../kernel/refusal.ts';

type Windowed<Row = unknown> = { timeWindow?: TimeWindow | undefined; early?: EarlyRow<Row> };

export const ownWindow = (row: Windowed): TimeWindow | undefined =>
  Object.hasOwn(row, 'timeWindow') ? row.timeWindow : undefined;

export const isRead = (row: Windowed, window: TimeWindow): boolean =>
  window === ownWindow(row) || window === row.early?.window;

export function windowOf(row: Windowed, asked: TimeWindow | null | undefined, what: string): TimeWindow {
  const window = asked ?? ownWindow(row);
  if (window) return window;
  throw badArgument('window', `window is required here, because the ${what} was not asked for in a window.`);
}

export const windowText = 'Default: the window of the list or field above; required where that has none.';

/** The first summary that the query selects; it is read in the same statement as the row. */
export function earlySummary<Field extends string>(
  { fieldNodes: [node], schema, variableValues }: GraphQLResolveInfo,
  selection: Selection<Field>,
): Early<Field> | undefined {
  const given = node && summaryArgument(node);
  const type = schema.getType('TimeWindow') as GraphQLEnumType;
  const window = given && (valueFromAST(given, type, variableValues) as TimeWindow | null | undefined);
  return window ? { window, selection } : undefined;
}

export const withSummary = (paths: string[][], owner: string): string[][] =>
  paths.flatMap((path) => [path, [...path, 'summary'], [...path, 'summary', owner]]);

export const summaryPaths = (owner: string): string[][] => [[], [owner]];
