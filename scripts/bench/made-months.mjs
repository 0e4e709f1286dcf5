// Parquet files of made days of validators, as `retain --archive` writes them, and their entries in the catalogue.
import { existsSync, renameSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addArchivedMonth } from '../../dist/archive/catalogue.js';
import { archivedColumns, SCHEMA_VERSION } from '../../dist/archive/columns.js';
import { quote } from '../../dist/archive/duckdb.js';
import { sha256OfFile } from '../../dist/archive/part-file.js';
import { rowGroupsOfFile } from '../../dist/archive/row-groups.js';
import { sumsFileOf, writeSums } from '../../dist/archive/sums.js';
import { transaction } from '../../dist/db/pool.js';
import { archivedSumsOfValidators } from '../../dist/resources/validator-ranking/sums.js';

/** The first of the `n`th month from January 2025 on, and the chain day of a date. */
export const firstOf = (n) => new Date(Date.UTC(2025, n, 1)).toISOString().slice(0, 10);
export const dayOf = (date) => Math.round((Date.parse(date) - Date.UTC(2020, 11, 1)) / 86_400_000);

/** Figures of a row, in SQL of both databases: `v` is the validator, `d` the day, `h` a random number >= 0. */
export const figures = {
  missed: 'case when h % 40 = 0 then h % 7 when h % 3000 = 1 then 225 else 0 end',
  reward: '2100000 + h % 61000 - v % 997',
  block: 'case when h % 4400 = 7 then 1 else 0 end',
};
/** The columns after `end_epoch` up to `sum_baseline_mev`. */
export const figureColumns = (m, reward, block) => `
  null, null, (225 - ${m}), ${m}, greatest(0, 222 - ${m} - h % 5), greatest(0, 224 - ${m} - h % 2), (225 - ${m}), least(3 + h % 5, 225 - ${m}),
  0, 0, 0, (225 - ${m}) + h % 6, ${block}, case when h % 400000 = 9 then 1 else 0 end, 32000000000 + v * 17 + d * 2100000::bigint,
  32000000000, ${reward}, 0, ${block} * 45000000, ${block} * (9000000 + h % 80000000), ${block} * (h % 90000000)`;

/** Rows in the order of an archived file, of both calendars: of the first `most` days of the month, or of all. */
async function writeMonth(duck, path, { validators, n, most = 31 }) {
  const [first, days] = [dayOf(firstOf(n)), Math.min(most, dayOf(firstOf(n + 1)) - dayOf(firstOf(n)))];
  const { missed, reward, block } = figures;
  const columns = Object.entries(archivedColumns).map(([name, type]) => `${name}::${type} as ${name}`);
  await duck.run(`copy (
    select ${columns.join(', ')} from (
      select 'mainnet', v, utc, d, date '2020-12-01' + d::integer, d * 225, d * 225 + 224, ${figureColumns('m', 'reward', 'block')},
        225 * 32000000000, null, null
      from (
        select *, ${missed} as m, ${reward} as reward, ${block} as block from (
          select i // ${2 * days} as v, i % 2 = 1 as utc, ${first} + i % ${2 * days} // 2 as d,
            (hash(i + ${n}::bigint * 1000000000) >> 20)::bigint as h
          from range(${validators * 2 * days}) r(i)
        )
      )
    ) made(${Object.keys(archivedColumns).join(', ')})
  ) to ${quote(`${path}.partial`)} (format parquet, compression zstd, compression_level 1, row_group_size 20480, write_bloom_filter false)`);
  renameSync(`${path}.partial`, path);
}

/** Stores validators of mainnet, each tenth with the node operator `Tenth`. */
export async function storeValidators(pool, validators) {
  const run = (text, values = []) => pool.query({ text, values });
  await run('alter table validators disable trigger user'); // what they keep for lists of operators takes minutes
  await run(
    `insert into validators (network, validator_index, validator_pubkey, slashed, activation_epoch, node_operator)
    select 'mainnet', v, '0x' || lpad(to_hex(v), 96, '0'), false, 0, case when v % 10 = 3 then 'Tenth' end
    from generate_series(0, $1::int - 1) v`,
    [validators],
  );
  await run('alter table validators enable trigger user');
  await run(`insert into validator_counts values ('mainnet', true, false, false, $1)`, [validators]);
  await run('vacuum analyze validators');
}

/** Of a month that is in no table: writes the files that are not there yet, and catalogues them. */
export async function makeMonth(pool, duck, { folder, validators, n, most }) {
  const run = async (text, values = []) => pool.query({ text, values });
  const month = firstOf(n);
  const file = `validator_days-mainnet-${month.slice(0, 7)}.parquet`;
  const path = join(folder, file);
  if (!existsSync(path)) await writeMonth(duck, path, { validators, n, most });
  const { size: bytes } = await stat(path);
  const groups = await rowGroupsOfFile(duck, path);
  const rows = groups.groups.reduce((sum, [, , count]) => sum + count, 0);
  const sha256 = await sha256OfFile(path);
  const [began, spent] = [performance.now(), process.cpuUsage()];
  const fileOfSums = sumsFileOf('mainnet', month);
  const sums = await writeSums(duck, path, join(folder, fileOfSums), archivedSumsOfValidators, {});
  const { user, system } = process.cpuUsage(spent);
  await run(
    `insert into validator_day_dates (network, utc, day, date)
    select 'mainnet', utc, d, '2020-12-01'::date + d from generate_series($1::int, $2::int) d, unnest('{f,t}'::boolean[]) utc`,
    [dayOf(month), dayOf(firstOf(n + 1)) - 1],
  );
  const entry = {
    ...{ network: 'mainnet', month, folder, file, schemaVersion: SCHEMA_VERSION, rows, bytes },
    ...{ sha256, rowsSha256: sha256, groups, sums: { file: fileOfSums, ...sums } },
  };
  await transaction(pool, (client) => addArchivedMonth(client, entry));
  await run('delete from validator_day_dates where date >= $1 and date < $2', [month, firstOf(n + 1)]);
  return {
    ...{ file, rows, bytes, sumsBytes: sums.bytes },
    sumsSeconds: (performance.now() - began) / 1e3,
    sumsCpu: (user + system) / 1e6,
  };
}
