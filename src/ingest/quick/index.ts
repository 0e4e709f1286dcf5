import type { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { accepters } from '../importer/accepter.ts';
import {
  type Importer,
  isFaultless,
  networkField,
  type RowOptions,
  type RowRules,
} from '../importer/importer.ts';
import { copyFields } from '../merge/staging.ts';
import { CopyBuffer } from './copy-buffer.ts';
import { type Cells, type Layout, splitter } from './split.ts';
import { isSame, type Reader, valueReader } from './values.ts';

/** If false, every line becomes a row that `check` checks. */
const ENABLED = true;
const MAX_LAYOUTS = 8;
/** The end of a cell without a value. */
const ABSENT = -1;

/** Returns where the next line begins, or 0 for a line that it does not take. */
type Take = (bytes: Buffer, at: number, place: number, copy: CopyBuffer) => number;

/** Takes lines whose values are stored as written. Undefined if there are none for this importer. */
export function quickLines(importer: Importer<unknown>, options: RowOptions) {
  const { checks, shape } = importer;
  const rulesOf = importer.rulesOf ?? (checks && (() => ({ checks, shape })));
  if (!ENABLED || !rulesOf) return undefined;
  const copy = new CopyBuffer();
  const known = new Map<string, Take | undefined>();
  let current: Take | undefined;
  return {
    expect(layout: Layout) {
      const key = (layout.around ?? layout.columns).join('\n');
      if (!known.has(key) && known.size < MAX_LAYOUTS)
        known.set(key, taker(importer, rulesOf(layout.columns), options, layout));
      current = known.get(key);
    },
    take: (bytes: Buffer, at: number, place: number) => current?.(bytes, at, place, copy) ?? 0,
    isFull: () => copy.isFull(),
    taken: () => copy.take(),
  };
}

function taker(
  { columns: targets, derived = {} }: Importer<unknown>,
  { shape, checks }: RowRules<unknown>,
  options: RowOptions,
  layout: Layout,
): Take | undefined {
  const fields = accepters(shape);
  if (!fields) return undefined;
  const { columns } = layout;
  const isColumn = (name: string, at: number) =>
    Object.hasOwn(shape.shape, name) && columns.indexOf(name) === at;
  if (!columns.every(isColumn)) return undefined;
  const count = columns.length;
  const cells: Cells = {
    starts: new Int32Array(count),
    ends: new Int32Array(count),
    quoted: new Uint8Array(count),
  };
  const { starts, ends, quoted } = cells;
  const { defaults = networkField, defaultsFrom = [] } = checks;
  const missing = defaultsFrom.some((name) => columns.includes(name)) ? {} : defaults(options, {});
  const row: Record<string, unknown> = {};
  const readers: Reader[] = [];
  const mayBeAbsent: boolean[] = [];
  for (const [name, accepts] of fields) {
    const schema = shape.shape[name] as z.core.$ZodType;
    const absent = Leaf.isNullable(schema) ? null : missing[name];
    const column = columns.indexOf(name);
    if (column < 0) {
      if (!accepts(absent)) return undefined;
      row[name] = absent;
      continue;
    }
    const reader = valueReader(schema, accepts, layout.around !== undefined);
    readers[column] = reader;
    mayBeAbsent[column] = accepts(absent);
    const get = () => (ends[column] === ABSENT ? absent : reader.value());
    Object.defineProperty(row, name, { get, enumerable: true });
  }
  const outputs = copyFields(targets, derived).map(({ field, isList, text }) => {
    const isWritten = !derived[field] && !isList;
    const constant = derived[field] || columns.includes(field) ? undefined : text(row);
    return {
      text: constant === undefined ? text : () => constant,
      column: isWritten ? columns.indexOf(field) : -1,
    };
  });
  const isNull = layout.around ? isNullWord : (_: Buffer, start: number, end: number) => start === end;
  const split = splitter(layout);

  return (bytes, at, place, copy) => {
    const next = split(bytes, at, cells);
    if (next === 0) return 0;
    for (let index = 0; index < count; index += 1) {
      const start = starts[index] as number;
      const end = ends[index] as number;
      const isText = quoted[index] === 1;
      if (!isText && isNull(bytes, start, end)) {
        if (!mayBeAbsent[index]) return 0;
        ends[index] = ABSENT;
      } else if (!(readers[index] as Reader).takes(bytes, start, end, isText)) return 0;
    }
    if (!isFaultless(checks.faults?.(row))) return 0;
    copy.text(String(place));
    copy.text('\t\\N');
    for (const { text, column } of outputs) {
      const end = column < 0 ? ABSENT : (ends[column] as number);
      if (end !== ABSENT) copy.cell(bytes, starts[column] as number, end);
      else {
        copy.text('\t');
        copy.text(text(row));
      }
    }
    copy.text('\n');
    return next;
  };
}

const NULL = Buffer.from('null');
const isNullWord = (bytes: Buffer, start: number, end: number) =>
  end - start === NULL.length && isSame(bytes, start, NULL, 0, NULL.length);
