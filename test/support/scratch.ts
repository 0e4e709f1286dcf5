import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ROOM = 4_000_000_000;

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM;
}

export const inMemory = hasRoom();

/** Where databases of tests are made: in memory where there is room, since PostgreSQL waits for its disk again and again. */
export const scratch = inMemory ? MEMORY : tmpdir();
