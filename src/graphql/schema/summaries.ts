import { type GraphQLEnumType, type GraphQLResolveInfo, valueFromAST } from 'graphql';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Early, EarlyRow, Selection } from '../../fast-rows/index.ts';
import { summaryArgument } from '../../fast-rows/placeholders.ts';
import { badArgument } from '../../kernel/refusal.ts';

type Windowed<Row = unknown> = { timeWindow?: TimeWindow | undefined; early?: EarlyRow<Row> };

/** The window that the row was asked for in. */
export const ownWindow = (row: Windowed): TimeWindow | undefined =>
  Object.hasOwn(row, 'timeWindow') ? row.timeWindow : undefined;

/** Whether the summary in a window was read together with the row. */
export const isRead = (row: Windowed, window: TimeWindow): boolean =>
  window === ownWindow(row) || window === row.early?.window;

/** The window `asked`, else that of the row; throws BAD_INPUT without either. */
export function windowOf(row: Windowed, asked: TimeWindow | null | undefined, what: string): TimeWindow {
  const window = asked ?? ownWindow(row);
  if (window) return window;
  throw badArgument('window', `window is required here, because the ${what} was not asked for in a window.`);
}

export const windowText = 'Default: the window of the list or field above; required where that has none.';

/** The first summary that a field without a window selects of its row, to be read together with the row. */
export function earlySummary<Field extends string>(
  { fieldNodes: [node], schema, variableValues }: GraphQLResolveInfo,
  selection: Selection<Field>,
): Early<Field> | undefined {
  const given = node && summaryArgument(node);
  const type = schema.getType('TimeWindow') as GraphQLEnumType;
  const window = given && (valueFromAST(given, type, variableValues) as TimeWindow | null | undefined);
  return window ? { window, selection } : undefined;
}

/** Paths to the fields of a row: its own, those of its `summary`, and those of the `owner` of that summary. */
export const withSummary = (paths: string[][], owner: string): string[][] =>
  paths.flatMap((path) => [path, [...path, 'summary'], [...path, 'summary', owner]]);

/** The same for a field that returns a summary. */
export const summaryPaths = (owner: string): string[][] => [[], [owner]];
