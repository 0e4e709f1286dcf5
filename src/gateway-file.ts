import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownMark, readMark } from './db/embedded/process.ts';

const fileIn = (dataDir: string) => join(dataDir, 'gateway.json');

/** Notes in the data folder where this gateway is reached; the answer takes the note back. */
export async function noteGateway(dataDir: string, url: string): Promise<() => Promise<void>> {
  await writeFile(fileIn(dataDir), `${JSON.stringify({ ...ownMark(), url })}\n`, { mode: 0o600 });
  return async () => {
    if (readMark(fileIn(dataDir))?.pid === process.pid) await rm(fileIn(dataDir), { force: true });
  };
}

/** The address of the gateway that runs on a data folder, of several the last that started; undefined when there is none. */
export function gatewayOf(dataDir: string): string | undefined {
  const mark = readMark(fileIn(dataDir));
  if (!mark || !isAlive(mark)) return undefined;
  return (JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as { url?: string }).url;
}
