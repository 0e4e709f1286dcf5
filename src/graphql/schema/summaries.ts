import type { TimeWindow } from '../../chain/windows.ts';
import { badArgument } from '../../kernel/refusal.ts';

type Windowed = { timeWindow?: TimeWindow | undefined };

/** The window that the row was asked for in. */
export const ownWindow = (row: Windowed): TimeWindow | undefined =>
  Object.hasOwn(row, 'timeWindow') ? row.timeWindow : undefined;

/** The window `asked`, else that of the row; throws BAD_INPUT without either. */
export function windowOf(row: Windowed, asked: TimeWindow | null | undefined, what: string): TimeWindow {
  const window = asked ?? ownWindow(row);
  if (window) return window;
  throw badArgument('window', `window is required here, because the ${what} was not asked for in a window.`);
}

export const windowText = 'Default: the window of the list or field above; required where that has none.';

/** Where a query selects fields of the row at `paths`, whose `summary` is in the same row and leads back to `owner`. */
export const withSummary = (paths: string[][], owner: string): string[][] =>
  paths.flatMap((path) => [path, [...path, 'summary'], [...path, 'summary', owner]]);

/** The same of a summary at the root. */
export const summaryPaths = (owner: string): string[][] => [[], [owner]];
