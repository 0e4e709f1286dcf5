export async function* bytesOf(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
export async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
export const outcome = async (read: () => unknown) => {
  try {
    return { rows: await read() };
  } catch (error) {
    return { message: (error as Error).message };
  }
};

/** Without an end. `count` is the number of chunks that were read. */
export function endless(begin: string, chunk: string) {
  const read = { count: 0 };
  async function* chunks() {
    yield Buffer.from(begin);
    for (; ; read.count += 1) yield Buffer.from(chunk);
  }
  return { read, chunks: chunks() };
}
