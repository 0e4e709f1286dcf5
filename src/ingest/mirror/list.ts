import type { Network } from '../../chain/networks.ts';
import type { RowOptions } from '../importer/importer.ts';
import type { ImportResource } from '../importers/index.ts';

export type Form = { path: string; query: Readonly<Record<string, string>> };

export type MirrorList = {
  resource: ImportResource;
  name: string;
  network?: Network;
  /** The next form is tried after a 404. */
  forms: readonly [Form, ...Form[]];
  rows: Partial<RowOptions>;
  key?: string;
  /** True if pages shift when the list changes. */
  ranked?: boolean;
  /** Present if the rows replace the stored list. `whole` identifies the list even without rows. */
  replaces?: { whole?: Readonly<Record<string, string>> };
  /** Rows descend by `field`; both bounds are inclusive. */
  down?: { field: string; ceiling: number; floor: number };
  /**
   * Position to store: `at`, called after `completed`, or the largest value of `field`. With `ifAny`, a list without rows
   * stores no position.
   */
  position?: { at: () => string; ifAny?: boolean } | { field: string };
  /** True if the list is a range of a longer list, whose ranges are read one after another. */
  part?: boolean;
  /** If true, a 404 means no rows. */
  mayBeAbsent?: boolean;
  /** Called after the last page. The returned function adds missing fields to rows. */
  completed?: (rows: () => AsyncIterable<unknown>) => Promise<(row: unknown) => unknown>;
};

export const networkOfList = (list: Pick<MirrorList, 'network'>): string => list.network ?? '';
