import type { z } from 'zod';
import { isNullable } from '../../kernel/leaves.ts';
import { camel } from '../../kernel/names.ts';
import { accepters } from '../accepter.ts';
import { type Importer, isFaultless, networkOf, type RowOptions } from '../importer.ts';
import { copyText } from '../staging.ts';
import { CopyBuffer } from './copy-buffer.ts';
import { type Cells, type Layout, splitter } from './split.ts';
import { type Batch, type Read, valueReader } from './values.ts';

/** If false, every line becomes a row that `check` checks. */
const ENABLED = true;
const MAX_LAYOUTS = 8;
const MAX_TEXT = 4_194_304;

/** Returns where the next line begins, or 0 for a line that it does not take. */
type Take = (batch: Batch, at: number, place: number, copy: CopyBuffer) => number;

/** Takes lines whose values are stored as written. */
export function quickLines(importer: Importer<unknown>, options: RowOptions) {
  const copy = new CopyBuffer();
  const known = new Map<string, Take | undefined>();
  let scratch = new Uint16Array();
  let batch: Batch = { text: '', codes: scratch };
  let current: Take | undefined;
  return {
    open(text: string) {
      batch = { text: text.length > MAX_TEXT ? '' : text, codes: scratch };
      if (scratch.length < batch.text.length) batch.codes = scratch = new Uint16Array(batch.text.length);
      Buffer.from(scratch.buffer).write(batch.text, 'utf16le');
    },
    expect(layout: Layout) {
      const key = (layout.around ?? layout.columns).join('\n');
      if (!known.has(key) && known.size < MAX_LAYOUTS)
        known.set(key, ENABLED ? taker(importer, options, layout) : undefined);
      current = known.get(key);
    },
    take: (at: number, place: number) => current?.(batch, at, place, copy) ?? 0,
    isFull: () => copy.isFull(),
    taken: () => copy.take(),
  };
}

function taker(importer: Importer<unknown>, options: RowOptions, layout: Layout): Take | undefined {
  const { shape, checks, stored, columns: targets } = importer;
  const { columns } = layout;
  const fields = accepters(shape);
  if (!checks || !fields || columns.some((name) => !Object.hasOwn(shape.shape, name))) return undefined;
  const missing = (checks.defaults ?? networkOf)(options, {});
  const row: Record<string, unknown> = {};
  const readers = new Map<string, Read>();
  for (const [name, accepts] of fields) {
    const schema = shape.shape[name] as z.core.$ZodType;
    const absent = isNullable(schema) ? null : missing[name];
    row[name] = accepts(absent) ? absent : undefined;
    if (row[name] === undefined && !columns.includes(name)) return undefined;
    readers.set(name, valueReader(schema, accepts, layout.around !== undefined));
  }
  const absents = columns.map((name) => row[name]);
  const reads = columns.map((name) => readers.get(name) as Read);
  const outputs = targets.map(({ name }) => {
    const field = camel(name);
    return { field, column: checks.computed?.includes(field) ? -1 : columns.indexOf(field) };
  });
  const isNull = layout.around ? isNullWord : (_: Batch, start: number, end: number) => start === end;
  const split = splitter(layout);
  const count = columns.length;
  const cells: Cells = {
    starts: new Int32Array(count),
    ends: new Int32Array(count),
    quoted: new Uint8Array(count),
  };
  const { starts, ends, quoted } = cells;

  return (batch, at, place, copy) => {
    const { text, codes } = batch;
    const next = split(codes, text.length, at, cells);
    if (next === 0) return 0;
    for (let index = 0; index < count; index += 1) {
      const start = starts[index] as number;
      const end = ends[index] as number;
      const isText = quoted[index] === 1;
      const empty = !isText && isNull(batch, start, end);
      const value = empty ? absents[index] : (reads[index] as Read)(batch, start, end, isText);
      if (value === undefined) return 0;
      if (empty) ends[index] = -1;
      row[columns[index] as string] = value;
    }
    if (!isFaultless(checks.faults?.(row))) return 0;
    const values = stored(row);
    copy.text(String(place));
    copy.text('\t\\N');
    for (const { field, column } of outputs) {
      const end = column < 0 ? -1 : (ends[column] as number);
      if (end >= 0) copy.cell(codes, starts[column] as number, end);
      else {
        copy.text('\t');
        copy.text(copyText(values[field]));
      }
    }
    copy.text('\n');
    return next;
  };
}

const isNullWord = ({ text, codes }: Batch, start: number, end: number) =>
  codes[start] === 110 && text.slice(start, end) === 'null';
