import type pg from 'pg';
import { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import { decode } from '../../kernel/decode.ts';
import { isObject } from '../../kernel/json.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type Snake, snake } from '../../kernel/names.ts';
import type { IdType } from '../../resources/operators/record.ts';
import { accepter } from './accepter.ts';

export type Column<Name extends string = string> = { name: Name; type: string };

/** `columns` are a unique key besides the primary key `key`. */
export type Unique = { table: string; key: readonly string[]; columns: readonly string[]; field: string };

export type RowOptions = {
  network: Network;
  idType?: IdType | undefined;
  utc?: boolean | undefined;
  window?: TimeWindow | undefined;
};

export type ImportCounts = { inserted: number; updated: number; removed: number };

export type MergeOptions = {
  /** If true, also deletes rows that are not staged, but only from lists that have staged rows. */
  replace: boolean;
  /** Columns and values that identify the replaced list, even if the source has no rows. */
  whole?: Readonly<Record<string, string>> | undefined;
  revision: () => Promise<number>;
};

export type Importer<Row, Name extends string = string> = {
  resource: string;
  shape: z.ZodObject;
  check(raw: unknown, options: RowOptions): z.ZodSafeParseResult<Row>;
  /** True for a row of another service, whose faults name the fields of that service. */
  isForeign?(raw: unknown): boolean;
  /** Absent if `check` changes rows that these would accept. */
  checks?: RowRules<Row>['checks'];
  /** In place of `shape` and `checks` where these depend on the fields of a row. */
  rulesOf?(fields: readonly string[]): RowRules<Row>;
  columns: readonly Column<Name>[];
  /** Values of columns that are not the field of the same name, by column in camel case. */
  derived?: Derived<Row>;
  /** Columns or expressions that are unique within a source. If empty, rows may repeat. */
  key: readonly string[];
  /** Ends the message about a repeated row, and says what its rows may be. */
  ofRepeated?: string | undefined;
  unique?: Unique;
  merge(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts>;
  /** SQL aggregate over staged rows. If true, a complete source replaces the stored list. */
  replacesWhen?: string;
};

export type RowRules<Row> = {
  shape: z.ZodObject;
  checks: Pick<Checks<Row>, 'defaults' | 'defaultsFrom' | 'faults'>;
};

export type Derived<Row> = Readonly<Record<string, (row: Row) => unknown>>;

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

export type Fault = readonly [field: string, message: string];
/** Lists where rows come by the million, because generators take more than twice as long. */
export type Faults = Iterable<Fault>;

export type Checks<Row> = {
  defaults?: (options: RowOptions, row: Record<string, unknown>) => Record<string, unknown>;
  /** Fields on which defaults of a row depend. */
  defaultsFrom?: readonly string[];
  /** Must not change rows that would be accepted as they are. */
  tidied?: (row: Record<string, unknown>) => Record<string, unknown>;
  faults?(row: Row): Faults;
};

export const networkField = ({ network }: RowOptions): Record<string, unknown> => ({ network });

export function rowChecker<Shape extends z.ZodObject>(
  shape: Shape,
  { defaults = networkField, tidied = (row) => row, faults }: Checks<z.output<Shape>>,
): Importer<z.output<Shape>>['check'] {
  const accepts = accepter(shape);
  const checked = shape.pipe(z.custom<z.output<Shape>>()).superRefine((row, context) => {
    for (const [field, message] of faults?.(row) ?? [])
      context.addIssue({ code: 'custom', path: [field], message });
  });
  return (raw, options) => {
    if (!isObject(raw)) return checked.safeParse(raw);
    const decoded = decode(shape, raw) as Record<string, unknown>;
    const missing = defaults(options, raw);
    // Spreading both objects would take three times as long.
    for (const name in missing) if (decoded[name] === undefined) decoded[name] = missing[name];
    const row = tidied(decoded) as z.output<Shape>;
    if (accepts(row) && isFaultless(faults?.(row))) return { success: true, data: row };
    return checked.safeParse(row);
  };
}

export function isFaultless(faults: Faults = []): boolean {
  for (const _ of faults) return false;
  return true;
}

const sqlTypes: Record<Leaf.LeafKind, string> = {
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric',
  Date: 'date',
  DateTime: 'timestamptz',
  String: 'text',
};

export type ColumnName<Row> = Snake<keyof Row & string>;

export const columnsOf = <Shape extends z.ZodObject>(shape: Shape): Column<ColumnName<z.infer<Shape>>>[] =>
  Object.entries(shape.shape).map(([field, schema]) => ({
    name: snake(field) as ColumnName<z.infer<Shape>>,
    type: sqlType(schema as z.core.$ZodType),
  }));

function sqlType(schema: z.core.$ZodType): string {
  const kind = Leaf.leafKind(schema);
  const plain = Leaf.unwrap(schema);
  if (kind) return Leaf.leafOf(schema)?.wide ? sqlTypes.Decimal : sqlTypes[kind];
  if (!(plain instanceof z.ZodArray)) return 'text';
  return plain.element instanceof z.ZodObject ? 'json' : 'text[]';
}
