/**
 * A Parquet file ends with its metadata in Thrift's compact protocol (`FileMetaData`), their length in 4 bytes and
 * `PAR1`. Only two of its fields are of use here: the number of rows, and the list of row groups.
 */
const NUM_ROWS = 3;
const ROW_GROUPS = 4;
/** Fields of a row group: its columns, and where it begins. */
const COLUMNS = 1;
const GROUP_OFFSET = 5;
/** Fields of a column: where it begins, its metadata, and where its indexes begin. */
const COLUMN_OFFSETS = [2, 4, 6];
const COLUMN_METADATA = 3;
/** Fields of the metadata of a column: where its pages and its filter begin. */
const PAGE_OFFSETS = [9, 10, 11, 14];

type Slice = readonly [from: number, to: number];

/** Positions within the metadata: of the number of rows, of the list with its header, and of each row group. */
export type FooterParts = { rows: Slice; list: Slice; groups: Slice[] };

const Type = { stop: 0, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 } as const;

function passer(bytes: Buffer) {
  let at = 0;
  const byte = () => bytes[at++] as number;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
      scale *= 128;
    }
  };
  const listHeader = () => {
    const header = byte();
    return { type: header & 0x0f, size: header >> 4 === 15 ? varint() : header >> 4 };
  };
  /** Within a collection, true and false take a byte; as a field, none. */
  const pass = (type: number, inList: boolean): void => {
    if (type === Type.struct) passFields();
    else if (type === Type.list || type === Type.set) {
      const { type: of, size } = listHeader();
      for (let left = size; left > 0; left -= 1) pass(of, true);
    } else if (type === Type.binary) {
      const length = varint();
      at += length;
    } else if (type === Type.double) at += 8;
    else if (type === Type.map) throw new Error('unexpected map in the metadata of a Parquet file');
    else if (type === 1 || type === 2 || type === 3) at += inList || type === 3 ? 1 : 0;
    else varint();
  };
  const passFields = (on?: (id: number, type: number) => boolean): void => {
    let id = 0;
    for (let header = byte(); header !== Type.stop; header = byte()) {
      const delta = header >> 4;
      if (delta > 0) id += delta;
      else {
        const zigzag = varint();
        id = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      }
      const type = header & 0x0f;
      if (!on?.(id, type)) pass(type, false);
    }
  };
  return { at: () => at, varint, listHeader, pass, passFields };
}

export function partsOfFooter(metadata: Buffer): FooterParts {
  const { at, listHeader, pass, passFields } = passer(metadata);
  let rows: Slice | undefined;
  let list: Slice | undefined;
  const groups: Slice[] = [];
  passFields((id, type) => {
    const from = at();
    if (id === NUM_ROWS) {
      pass(type, false);
      rows = [from, at()];
    } else if (id === ROW_GROUPS) {
      const { type: of, size } = listHeader();
      for (let left = size; left > 0; left -= 1) {
        const start = at();
        pass(of, true);
        groups.push([start, at()]);
      }
      list = [from, at()];
    } else return false;
    return true;
  });
  if (!rows || !list || at() !== metadata.length)
    throw new Error('the metadata of a Parquet file is damaged');
  return { rows, list, groups };
}

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}

/** The metadata of a row group for a file in which its columns are `by` bytes later. */
export function movedGroup(slice: Buffer, by: number): Buffer {
  const { at, varint, listHeader, pass, passFields } = passer(slice);
  const parts: Buffer[] = [];
  let done = 0;
  const move = () => {
    const from = at();
    const doubled = varint(); // zigzag
    if (doubled === 0) return; // there is none
    parts.push(slice.subarray(done, from), varintOf(doubled + 2 * by));
    done = at();
  };
  passFields((id, type) => {
    if (id === GROUP_OFFSET) move();
    else if (id === COLUMNS)
      for (let left = listHeader().size; left > 0; left -= 1)
        passFields((inColumn, columnType) => {
          if (COLUMN_OFFSETS.includes(inColumn)) move();
          else if (inColumn === COLUMN_METADATA)
            passFields((inMetadata, metadataType) => {
              if (PAGE_OFFSETS.includes(inMetadata)) move();
              else pass(metadataType, false);
              return true;
            });
          else pass(columnType, false);
          return true;
        });
    else pass(type, false);
    return true;
  });
  return Buffer.concat([...parts, slice.subarray(done)]);
}

export const MAGIC = Buffer.from('PAR1', 'latin1');

/** `head` ends before the number of rows, `middle` before the list of row groups; `tail` follows it. */
export type FooterFrame = { head: Buffer; middle: Buffer; tail: Buffer };

export const frameOf = (metadata: Buffer, { rows, list }: FooterParts): FooterFrame => ({
  head: metadata.subarray(0, rows[0]),
  middle: metadata.subarray(rows[1], list[0]),
  tail: metadata.subarray(list[1]),
});

/** The end of a file that has only these of the row groups, at their places. */
export function footerWith({ head, middle, tail }: FooterFrame, groups: { slice: Buffer; rows: number }[]) {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const size =
    groups.length < 15
      ? Buffer.from([(groups.length << 4) | Type.struct])
      : Buffer.concat([Buffer.from([0xf0 | Type.struct]), varintOf(groups.length)]);
  const metadata = Buffer.concat([
    ...[head, varintOf(rows * 2), middle, size],
    ...groups.map(({ slice }) => slice),
    tail,
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([metadata, length, MAGIC]);
}
