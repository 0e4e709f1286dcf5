import type { Network } from '../../chain/networks.ts';
import type { RowOptions } from '../importer.ts';
import type { ImportResource } from '../importers.ts';

/** A path that answers a list, and what is asked of it. */
export type Form = { path: string; query: Readonly<Record<string, string>> };

/** One list of the service: walked from its first page to its last, and loaded in one transaction. */
export type MirrorList = {
  resource: ImportResource;
  /** What it is among the lists of its resource and network; kept with its state. */
  name: string;
  /** The network that the header selects; undefined outside of Ethereum. */
  network?: Network;
  /** Where it is; a later form is asked where an earlier one is not there. */
  forms: readonly [Form, ...Form[]];
  /** What the import is told about its rows. */
  rows: Partial<RowOptions>;
  /** The field by which rows differ; undefined where rows may be alike. */
  key?: string;
  /** Rows are found by their place: pages shift when the list changes. */
  ranked?: boolean;
  /** It replaces what is stored of it; `whole` tells which list that is where it may be empty. */
  replaces?: { whole?: Readonly<Record<string, string>> };
  /** It goes down by this field, and is read between these numbers, ends inclusive. */
  down?: { field: string; ceiling: number; floor: number };
  /** How far it is stored afterwards: up to this point (`ifAny`: when it has rows), or up to the last value of a field. */
  position?: { at: string; ifAny?: boolean } | { field: string };
  /** A series is read from its position on, another list as a whole. Parts of a list are each done once. */
  part?: boolean;
  /** What is not there has no rows. */
  mayBeAbsent?: boolean;
  /** What rows do not tell, added to each; asked for when all of them are read. */
  completed?: (rows: () => AsyncIterable<unknown>) => Promise<(row: unknown) => unknown>;
};

/** The network of a list as it is kept with its state. */
export const networkOf = (list: Pick<MirrorList, 'network'>): string => list.network ?? '';
