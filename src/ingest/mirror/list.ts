import type { Network } from '../../chain/networks.ts';
import type { RowOptions } from '../importer.ts';
import type { ImportResource } from '../importers.ts';

export type Form = { path: string; query: Readonly<Record<string, string>> };

/** Walked from first to last page and loaded in one transaction. */
export type MirrorList = {
  resource: ImportResource;
  /** Unique within resource and network. */
  name: string;
  /** Ethereum only. */
  network?: Network;
  /** Alternatives, tried in order on 404. */
  forms: readonly [Form, ...Form[]];
  rows: Partial<RowOptions>;
  /** The unique field; undefined where rows may be equal. */
  key?: string;
  /** Pages shift when the list changes. */
  ranked?: boolean;
  /** Replaces the stored list, which `whole` names in case it is empty. */
  replaces?: { whole?: Readonly<Record<string, string>> };
  /** Descends by this field; bounds are inclusive. */
  down?: { field: string; ceiling: number; floor: number };
  /** The position to store: `at` (with `ifAny` only when it has rows) or the field's largest value. */
  position?: { at: string; ifAny?: boolean } | { field: string };
  /** One of consecutive ranges, each read once. */
  part?: boolean;
  /** 404 means no rows. */
  mayBeAbsent?: boolean;
  /** Called after the last page; the result adds missing fields to each row. */
  completed?: (rows: () => AsyncIterable<unknown>) => Promise<(row: unknown) => unknown>;
};

export const networkOf = (list: Pick<MirrorList, 'network'>): string => list.network ?? '';
