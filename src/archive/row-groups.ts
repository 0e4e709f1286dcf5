import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Duck, rowsOf } from './duckdb.ts';
import { type FooterFrame, frameOf, MAGIC, partsOfFooter } from './footer.ts';

/**
 * A row group: its first and last validator, its number of rows, where its columns begin and end in the file, where its
 * metadata do, and the CRC-32 of both.
 */
export type RowGroup = readonly [
  ...[first: number, last: number, rows: number],
  ...[from: number, to: number, metadataFrom: number, metadataTo: number],
  crc: number,
];

/** `frame` has parts of the file's metadata, in base64. */
export type RowGroups = { frame: Record<keyof FooterFrame, string>; groups: RowGroup[] };

const frameText = ({ head, middle, tail }: FooterFrame): RowGroups['frame'] => ({
  head: head.toString('base64'),
  middle: middle.toString('base64'),
  tail: tail.toString('base64'),
});

type Found = { first: number; last: number; rows: number; from: number; to: number };

/** What readers need to read some row groups without the others. */
export async function rowGroupsOfFile(duck: Duck, path: string): Promise<RowGroups> {
  const found = await rowsOf<Found>(
    duck,
    `select
      max(case when path_in_schema = 'validator_index' then stats_min_value end)::double as first,
      max(case when path_in_schema = 'validator_index' then stats_max_value end)::double as last,
      max(row_group_num_rows)::double as rows,
      min(coalesce(dictionary_page_offset, data_page_offset))::double as "from",
      max(coalesce(dictionary_page_offset, data_page_offset) + total_compressed_size)::double as "to"
    from parquet_metadata($path) group by row_group_id order by row_group_id`,
    { path },
  );
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const { buffer: end } = await handle.read(Buffer.alloc(8), 0, 8, size - 8);
    const length = end.readUInt32LE(0);
    if (!end.subarray(4).equals(MAGIC)) throw new Error(`${path} is not a Parquet file`);
    const start = size - 8 - length;
    const { buffer: metadata } = await handle.read(Buffer.alloc(length), 0, length, start);
    const parts = partsOfFooter(metadata);
    if (parts.groups.length !== found.length) throw new Error(`the metadata of ${path} are damaged`);
    const groups: RowGroup[] = [];
    for (const [index, { first, last, rows, from, to }] of found.entries()) {
      const [a, b] = parts.groups[index] as readonly [number, number];
      const { buffer: data } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
      const crc = crc32(metadata.subarray(a, b), crc32(data));
      groups.push([first, last, rows, from, to, start + a, start + b, crc]);
    }
    return { frame: frameText(frameOf(metadata, parts)), groups };
  } finally {
    await handle.close();
  }
}
