import type { MergeOptions, RowOptions } from './importer/importer.ts';
import type { Origin } from './merge/origins.ts';
import type { Format } from './source/open.ts';

/** `read` and `size` count bytes before decompression; `size` is undefined for stdin. */
export type ReadProgress = {
  phase: 'reading' | 'merging';
  rows: number;
  read: number;
  size: number | undefined;
};

export type ImportOptions = RowOptions & {
  format?: Format | undefined;
  replace?: boolean | undefined;
  whole?: MergeOptions['whole'];
  skipInvalid?: boolean;
  dryRun?: boolean;
  onRejected?: (text: string) => void;
  onProgress?: (progress: ReadProgress) => void;
  resume?: boolean;
  /** Accepts keys that look misspelt, because a newer service may have fields of such names. */
  anyKeys?: boolean;
  /** Allows overwriting rows that `stakegraph index` wrote. Defaults to `replace`. */
  overIndex?: boolean;
  origin?: Origin;
};
