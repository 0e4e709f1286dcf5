import type { Network } from '../../chain/networks.ts';
import type { RowOptions } from '../importer.ts';
import type { ImportResource } from '../importers.ts';

export type Form = { path: string; query: Readonly<Record<string, string>> };

/** Loaded in one transaction. */
export type MirrorList = {
  resource: ImportResource;
  /** Unique within resource and network. */
  name: string;
  /** Ethereum only. */
  network?: Network;
  /** Alternatives, tried in order on 404. */
  forms: readonly [Form, ...Form[]];
  rows: Partial<RowOptions>;
  /** Unique per row. */
  key?: string;
  /** Pages shift when the list changes. */
  ranked?: boolean;
  /** `whole` names the replaced list, which may be empty. */
  replaces?: { whole?: Readonly<Record<string, string>> };
  /** Descending; bounds are inclusive. */
  down?: { field: string; ceiling: number; floor: number };
  /** Stored position: `at` (`ifAny`: only with rows) or the field's largest value. */
  position?: { at: string; ifAny?: boolean } | { field: string };
  /** One of consecutive ranges, each read once. */
  part?: boolean;
  /** 404 means no rows. */
  mayBeAbsent?: boolean;
  /** Called after the last page; adds missing fields to rows. */
  completed?: (rows: () => AsyncIterable<unknown>) => Promise<(row: unknown) => unknown>;
};

export const networkOf = (list: Pick<MirrorList, 'network'>): string => list.network ?? '';
