import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileIn = (dataDir: string) => join(dataDir, 'gateway.json');
const processes = () => import('../db/embedded/process.ts');

export async function noteGateway(dataDir: string, url: string): Promise<() => Promise<void>> {
  const { ownMark, readMark } = await processes();
  const file = fileIn(dataDir);
  await writeFile(file, `${JSON.stringify({ ...ownMark(), url })}\n`, { mode: 0o600 });
  return async () => {
    if (readMark(file)?.pid === process.pid) await rm(file, { force: true });
  };
}

export async function gatewayOf(dataDir: string): Promise<string | undefined> {
  const { isAlive, readMark } = await processes();
  const mark = readMark(fileIn(dataDir));
  if (!mark || !isAlive(mark)) return undefined;
  return (JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as { url?: string }).url;
}
