import type { Network } from '../../chain/networks.ts';
import type { RowOptions } from '../importer.ts';
import type { ImportResource } from '../importers.ts';

/** A path and its query. */
export type Form = { path: string; query: Readonly<Record<string, string>> };

/** One list of the service, walked from first to last page and loaded in one transaction. */
export type MirrorList = {
  resource: ImportResource;
  /** Unique within resource and network; stored with the list's state. */
  name: string;
  /** Undefined outside of Ethereum. */
  network?: Network;
  /** A later form is tried where an earlier one does not exist. */
  forms: readonly [Form, ...Form[]];
  /** Options for importing its rows. */
  rows: Partial<RowOptions>;
  /** The field that is unique per row; undefined where rows may be equal. */
  key?: string;
  /** Pages shift when the list changes. */
  ranked?: boolean;
  /** Replaces what is stored; `whole` names the list, which may be empty. */
  replaces?: { whole?: Readonly<Record<string, string>> };
  /** Descends by this field and is read between these bounds, inclusive. */
  down?: { field: string; ceiling: number; floor: number };
  /** What to store as its position: this point (`ifAny`: only when it has rows), or the last value of a field. */
  position?: { at: string; ifAny?: boolean } | { field: string };
  /** Parts of a list are each read once; a series continues from its position. */
  part?: boolean;
  /** A missing list has no rows. */
  mayBeAbsent?: boolean;
  /** Adds to each row what rows do not tell; called when all rows are read. */
  completed?: (rows: () => AsyncIterable<unknown>) => Promise<(row: unknown) => unknown>;
};

export const networkOf = (list: Pick<MirrorList, 'network'>): string => list.network ?? '';
