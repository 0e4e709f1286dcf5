import { stringify } from 'lossless-json';
import type pg from 'pg';
import { isObject } from '../kernel/json.ts';
import type { ImportOptions } from './import-options.ts';
import { addFault, type FileReport } from './import-report.ts';
import { faultText } from './importer/fault-messages.ts';
import type { Importer } from './importer/importer.ts';
import {
  analyzeMiscounted,
  contradictingRows,
  hasPresent,
  hasRepeatedKeys,
  openStaging,
  repeatedRows,
  type StagedRow,
  takeStaged,
} from './merge/staging.ts';
import { quickLines } from './quick/index.ts';
import { misspeltKeys } from './source/misspelt.ts';
import { type RawRow, type Records, type RowSource, SourceError } from './source/source.ts';
import { unlikeRow } from './source/unlike.ts';

const placeOf = (source: RowSource, place: number | string) => `${source.unit} ${place}`;

export async function stageSource(
  client: pg.ClientBase,
  importer: Importer<unknown>,
  source: RowSource,
  options: ImportOptions,
  report: FileReport,
) {
  const staging = await openStaging(client, importer);
  const quick = options.skipInvalid ? undefined : quickLines(importer, options);
  const misspeltIn = options.anyKeys ? undefined : misspeltKeys(Object.keys(importer.shape.shape));
  let fitting: StagedRow<unknown>[] = [];
  const stage = (raw: RawRow): boolean => {
    report.rows += 1;
    const row = checkRow(importer, source, raw, options, report, misspeltIn);
    if (row === undefined) return false;
    const text = options.skipInvalid ? textOf(raw) : null;
    fitting.push({ place: raw.place, source: text, row });
    return true;
  };
  const stageRecords = (records: Records) => {
    for (;;) {
      const next = quick && records.begins() ? quick.take(records.bytes, records.at, records.place) : 0;
      if (next > 0) {
        report.rows += 1;
        records.at = next;
        records.place += 1;
        continue;
      }
      const read = records.read();
      if (!read) return;
      if (read.row && stage(read.row) && records.begins()) quick?.expect(records.layout(read.text));
    }
  };
  try {
    for await (const batch of source.rows) {
      if (Array.isArray(batch)) for (const raw of batch) stage(raw);
      else stageRecords(batch);
      if (quick?.isFull()) await staging.send(quick.taken());
      await staging.write(fitting);
      fitting = [];
      options.onProgress?.({ phase: 'reading', rows: report.rows, ...source.bytes() });
    }
  } catch (error) {
    staging.abandon();
    throw error;
  }
  if (quick) await staging.send(quick.taken());
  await staging.finish();
}

const textOf = (raw: RawRow): string => raw.broken?.text ?? stringify(raw.value) ?? 'null';

function checkRow(
  importer: Importer<unknown>,
  source: RowSource,
  raw: RawRow,
  options: ImportOptions,
  report: FileReport,
  misspeltIn: ReturnType<typeof misspeltKeys> | undefined,
): unknown {
  const checked = raw.broken ? undefined : importer.check(raw.value, options);
  const misspelt = misspeltIn && isObject(raw.value) ? misspeltIn(raw.value) : [];
  if (checked?.success && misspelt.length === 0) return checked.data;
  const at = { file: source.name, place: placeOf(source, raw.place) };
  const isOwn = checked && !importer.isForeign?.(raw.value);
  const unlike = isOwn && unlikeRow(raw.value, importer.resource, Object.keys(importer.shape.shape));
  if (unlike && report.rows === 1 && !options.skipInvalid)
    throw new SourceError(`${source.name}: ${at.place} ${unlike}.`);
  report.rejected += 1;
  options.onRejected?.(textOf(raw));
  const whole = raw.broken?.msg ?? unlike;
  if (whole) addFault(report, { ...at, field: '(row)', msg: whole });
  else
    for (const issue of checked?.error?.issues ?? [])
      addFault(report, { ...at, field: issue.path.join('.') || '(row)', msg: faultText(issue, raw.value) });
  if (!whole)
    for (const { key, field } of misspelt)
      addFault(report, { ...at, field: key, msg: `is not a field; ${field} is` });
  return undefined;
}

export async function checkStaged(
  client: pg.ClientBase,
  importer: Importer<unknown>,
  source: RowSource,
  options: ImportOptions,
  report: FileReport,
) {
  const { key } = importer;
  const unique =
    importer.unique && (await hasPresent(client, importer.unique.columns)) ? importer.unique : undefined;
  if (unique) await analyzeMiscounted(client, unique.table);
  const checks = [
    (await hasRepeatedKeys(client)) && {
      query: repeatedRows(key),
      field: '(row)',
      msg: (first: string) => `repeats ${placeOf(source, first)}${importer.ofRepeated ?? ''}`,
    },
    unique && {
      query: repeatedRows(unique.columns),
      field: unique.field,
      msg: (first: string) => `is that of ${placeOf(source, first)} too`,
    },
    unique && {
      query: contradictingRows(unique),
      field: unique.field,
      msg: (stored: string) => `is stored as that of ${stored}`,
    },
  ];
  for (const check of checks) {
    if (!check) continue;
    let found: number;
    do {
      found = 0;
      for await (const rows of takeStaged(client, check.query)) {
        found += rows.length;
        for (const { place, other, source: text } of rows) {
          if (text !== null) options.onRejected?.(text);
          const at = { file: source.name, place: placeOf(source, place) };
          addFault(report, { ...at, field: check.field, msg: check.msg(other) });
        }
      }
      report.rejected += found;
      // Removing a row can expose another conflict.
    } while (found > 0 && options.skipInvalid);
  }
}
