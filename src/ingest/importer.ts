import type pg from 'pg';
import type { z } from 'zod';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import type { IdType } from '../resources/operators/record.ts';

/** What the caller of an import may say about its rows. */
export type ImportOptions = {
  network: Network;
  /** Class of entities of rows that name none. */
  idType?: IdType | undefined;
  /** Whether rows that do not say so are of the UTC calendar. */
  utc?: boolean | undefined;
  /** Window of rows that name none. */
  window?: TimeWindow | undefined;
  /** Whether rows of the same lists that are absent from the source are removed; undefined: the source decides. */
  replace?: boolean | undefined;
};

export type ImportCounts = { inserted: number; updated: number; removed: number };

export type WriteOptions = {
  /** Whether stored rows of the same lists that are not among these are removed. */
  replace: boolean;
  /** Raises the dataset's revision, once in the transaction, and gives it. */
  revision: () => Promise<number>;
  onProgress?: ((done: number) => void) | undefined;
};

/** How one resource gets in: the check of a row, its key, and the set-based write. */
export type Importer<Row> = {
  resource: string;
  /** A checked row, or the zod error that tells each fault with its field. */
  check(raw: unknown, options: ImportOptions): z.ZodSafeParseResult<Row>;
  /** Two rows with the same key in one source are a fault; undefined where rows may be alike. */
  key(row: Row): string | undefined;
  /** Writes rows in the transaction of the client. */
  write(client: pg.ClientBase, rows: readonly Row[], options: WriteOptions): Promise<ImportCounts>;
  /** Whether a body that says it holds its whole list replaces what is stored. */
  replacesBy(rows: readonly Row[]): boolean;
};

/** Whether a decoded value is a row at all, and not a list, a text or a number. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
