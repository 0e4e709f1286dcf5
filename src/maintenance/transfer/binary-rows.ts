/** `PGCOPY\n\377\r\n\0` and the flags; the length and the bytes of the header's extension follow, like those of a field. */
const HEADER_BYTES = 11 + 4;
const END = -1;
const NULL = -1;

/**
 * Counts the rows in the output of `COPY … (format binary)`. Undefined if the output is not whole.
 * The format: https://www.postgresql.org/docs/current/sql-copy.html
 */
export async function countBinaryRows(output: AsyncIterable<Buffer>): Promise<number | undefined> {
  let rows = 0;
  let skip = HEADER_BYTES;
  let fields = 1;
  let ended = false;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    for (;;) {
      const skipped = Math.min(skip, bytes.length - at);
      at += skipped;
      skip -= skipped;
      if (skip > 0 || bytes.length - at < (fields > 0 ? 4 : 2) || ended) break;
      if (fields > 0) {
        const length = bytes.readInt32BE(at);
        if (length < NULL) return undefined;
        at += 4;
        fields -= 1;
        skip = Math.max(length, 0);
      } else {
        const count = bytes.readInt16BE(at);
        at += 2;
        if (count === END) ended = true;
        else {
          if (count < 0) return undefined;
          rows += 1;
          fields = count;
        }
      }
    }
    rest = bytes.subarray(at);
  }
  return ended && rest.length === 0 ? rows : undefined;
}
