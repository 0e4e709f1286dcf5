import type pg from 'pg';
import type { z } from 'zod';
import type { Network } from '../chain/networks.ts';

/** What the caller of an import may say about its rows. */
export type ImportOptions = {
  network: Network;
  /** Whether rows of the same lists that are absent from the source are removed; undefined: the source decides. */
  replace?: boolean | undefined;
};

export type ImportCounts = { inserted: number; updated: number; removed: number };

/** How one resource gets in: the check of a row, its key, and the set-based write. */
export type Importer<Row> = {
  resource: string;
  /** A checked row, or the zod error that tells each fault with its field. */
  check(raw: unknown, options: ImportOptions): z.ZodSafeParseResult<Row>;
  /** Two rows with the same key in one source are a fault. */
  key(row: Row): string;
  /** Writes rows in the transaction of the client. */
  write(
    client: pg.ClientBase,
    rows: readonly Row[],
    options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
  ): Promise<ImportCounts>;
  /** Whether a body that says it holds its whole list replaces what is stored. */
  replacesBy(rows: readonly Row[]): boolean;
};
