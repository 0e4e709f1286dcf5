import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Duck, quote, rowsOf, withDuck } from '../../src/archive/duckdb.ts';
import { withRowGroups } from '../../src/archive/part-file.ts';
import { rowGroupsOfFile } from '../../src/archive/row-groups.ts';

const ROWS_IN_GROUP = 2_048;

/** Row groups of 2,048 rows; `keys` are larger than those of the months before. */
async function monthOf(duck: Duck, folder: string, name: string, first: number, columns = 'key, text') {
  const path = join(folder, `${name}.parquet`);
  await duck.run(
    `copy (
      select ${columns} from (
        select ${first} + i as key, i::integer as validator_index, case when i % 3 > 0 then 'text ' || i * 7919 % 1000 end as text
        from range(10_000) r(i)
      )
    ) to ${quote(path)} (format parquet, compression zstd, row_group_size ${ROWS_IN_GROUP})`,
  );
  const { frame, groups } = await rowGroupsOfFile(duck, path);
  const month = {
    ...{ network: 'mainnet', month: '2025-01-01', folder, file: `${name}.parquet` },
    bytes: statSync(path).size,
  };
  return { month, frame, groups, path };
}

const keysIn = async (duck: Duck, paths: readonly string[], condition = 'true') =>
  (
    await rowsOf<{ key: bigint }>(
      duck,
      `select key from read_parquet([${paths.map(quote).join(', ')}]) where ${condition} order by key`,
    )
  ).map(({ key }) => Number(key));

const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

it('Row groups of several months are read from one temporary file, those of other columns from another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await withDuck({ memoryMb: 256, threads: 2 }, async (duck) => {
    const months = [
      await monthOf(duck, folder, 'a', 0),
      await monthOf(duck, folder, 'b', 100_000),
      await monthOf(duck, folder, 'c', 200_000),
      await monthOf(duck, folder, 'd', 300_000, 'key, validator_index'),
    ];
    const chosen = [[1, 3], [0, 1, 4], [], [2]];
    const parts = months.map(({ month, frame, groups }, at) => ({
      ...{ month, frame },
      groups: (chosen[at] as number[]).map((group) => groups[group] as (typeof groups)[number]),
    }));
    await withRowGroups(parts, async (paths) => {
      expect(paths.length).toBe(2);
      const group = (month: number, place: number) =>
        from(
          month * 100_000 + place * ROWS_IN_GROUP,
          place === 4 ? 10_000 - 4 * ROWS_IN_GROUP : ROWS_IN_GROUP,
        );
      expect(await keysIn(duck, paths.slice(0, 1))).toEqual(
        [group(0, 1), group(0, 3), group(1, 0), group(1, 1), group(1, 4)].flat(),
      );
      expect(await keysIn(duck, paths.slice(1))).toEqual(group(3, 2));
      // DuckDB finds a key with the statistics and dictionaries of the copied row groups, too.
      expect(await keysIn(duck, paths.slice(0, 1), 'key = 108192')).toEqual([108_192]);
      const [texts] = await rowsOf<{ same: boolean }>(
        duck,
        `select count(*) filter (where m.text is not distinct from f.text) = count(*) as same
        from read_parquet(${quote(paths[0] as string)}) m
        join read_parquet([${months
          .slice(0, 3)
          .map(({ path }) => quote(path))
          .join(', ')}]) f using (key)`,
      );
      expect(texts).toEqual({ same: true });
    });
    // The file of a month is opened even if none of its row groups are read, and a changed file is reported.
    const { path, month } = months[1] as (typeof months)[number];
    const bytes = readFileSync(path);
    const [, , , , to] = (months[1] as (typeof months)[number]).groups[0] as readonly number[];
    bytes[(to as number) - 1] = (bytes[(to as number) - 1] as number) ^ 1;
    writeFileSync(path, bytes);
    await expect(withRowGroups(parts, async () => undefined)).rejects.toThrow(
      `${month.file}, which was changed`,
    );
    rmSync(join(folder, 'c.parquet'));
    await expect(withRowGroups(parts.slice(2), async () => undefined)).rejects.toThrow(
      'c.parquet, which is missing',
    );
  });
});
