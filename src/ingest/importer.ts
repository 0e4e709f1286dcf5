import type pg from 'pg';
import { z } from 'zod';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { type LeafKind, leafKind, unwrap } from '../kernel/leaves.ts';
import { snake } from '../kernel/names.ts';
import type { IdType } from '../resources/operators/record.ts';
import type { Column, Unique } from './staging.ts';

/** What the caller of an import may say about its rows. */
export type RowOptions = {
  network: Network;
  /** Class of entities of rows that name none. */
  idType?: IdType | undefined;
  /** Whether rows that do not say so are of the UTC calendar. */
  utc?: boolean | undefined;
  /** Window of rows that name none. */
  window?: TimeWindow | undefined;
};

export type ImportCounts = { inserted: number; updated: number; removed: number };

export type MergeOptions = {
  /** Whether stored rows of the same lists that are not staged are removed. */
  replace: boolean;
  /** The one list that a replacing source holds, by the columns that tell lists apart: it may have no rows to tell it. */
  whole?: Readonly<Record<string, string>> | undefined;
  /** Raises the dataset's revision, once in the transaction, and gives it. */
  revision: () => Promise<number>;
};

/** How one resource gets in: the check of a row, what is staged of it, and the set-based merge of all staged rows. */
export type Importer<Row> = {
  resource: string;
  /** Every field that a row may have, with its kind. */
  shape: z.ZodObject;
  /** A checked row, or the zod error that tells each fault with its field. */
  check(raw: unknown, options: RowOptions): z.ZodSafeParseResult<Row>;
  columns: readonly Column[];
  /** A row by the names of the columns. */
  stored(row: Row): Record<string, unknown>;
  /** Columns in which no two rows of one source are the same; none where rows may be alike. */
  key: readonly string[];
  /** What no two rows share beside the key. */
  unique?: Unique;
  /** Whether sources only ever add and correct: nothing is removed, also with `replace`. */
  grows?: true;
  /** Brings the rows of the table `staged` where they belong, in the client's transaction. */
  merge(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts>;
  /** Asked of the staged rows of a body that says it holds its whole list: whether it replaces what is stored. SQL; never when absent. */
  replacesWhen?: string;
};

/** A query of the lists that the staged rows are of, by these columns, with the one that the source is whole for. */
export function stagedScopes(
  columns: readonly string[],
  { whole }: Pick<MergeOptions, 'whole'>,
  staged = 'staged',
): { text: string; values: string[] } {
  const text = `select distinct ${columns.join(', ')} from ${staged} as of_rows`;
  if (!whole || columns.length === 0) return { text, values: [] };
  const given = columns.map((_, index) => `$${index + 1}::text`).join(', ');
  return { text: `${text} union select ${given}`, values: columns.map((column) => whole[column] as string) };
}

/** What is wrong with a row beyond its shape, field by field. */
export type Faults = Iterable<readonly [field: string, message: string]>;

/** Returns what checks the decoded rows of a shape, and what is beyond it by `faultsOf`. */
export const rowChecker = <Shape extends z.ZodObject>(
  shape: Shape,
  faultsOf: (row: z.output<Shape>) => Faults,
): ((decoded: unknown) => z.ZodSafeParseResult<z.output<Shape>>) => {
  const checked = shape.pipe(z.custom<z.output<Shape>>()).superRefine((row, context) => {
    for (const [field, message] of faultsOf(row))
      context.addIssue({ code: 'custom', path: [field], message });
  });
  return (decoded) => checked.safeParse(decoded);
};

/** Whether a decoded value is a row at all, and not a list, a text or a number. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sqlTypes: Record<LeafKind, string> = {
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric',
  Date: 'date',
  DateTime: 'timestamptz',
  String: 'text',
};

/** A column for each field of a shape, as `snakeCased` names it. */
export const columnsOf = (shape: z.ZodObject): Column[] =>
  Object.entries(shape.shape).map(([field, schema]) => {
    const kind = leafKind(schema as z.core.$ZodType);
    const plain = unwrap(schema as z.core.$ZodType) instanceof z.ZodArray ? 'text[]' : 'text';
    return { name: snake(field), type: kind ? sqlTypes[kind] : plain };
  });

/** A row under the names of columns: `validatorIndex` is `validator_index`. */
export function snakeCased(row: object): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) named[snake(name)] = value;
  return named;
}
