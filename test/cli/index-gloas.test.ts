import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { compare } from '../indexer/oracle/compare.ts';
import { readRecording } from '../indexer/oracle/recording.ts';
import { Run } from '../indexer/oracle/run.ts';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { createDatabase } from '../support/gateway.ts';
import { endRunning, launch, stakegraph } from '../support/process.ts';

const FIRST = 2_470;
const FORK = 2_519;
/** Slot of the head with which an epoch is the newest that can be stored. */
const headFor = (epoch: number) => (epoch + 4) * 32;

afterEach(endRunning);

describe.skipIf(!hasRecordings)('an index through the Gloas fork that is killed at any moment', () => {
  const title =
    'has the rows of a recomputation of the whole chain after 20 kills, of which 10 are around the fork';
  // The test takes a minute on an idle machine, mostly to start processes.
  it(title, { timeout: 900_000 }, async () => {
    const chain = recordedChain('gloas');
    const node = await startBeaconNode(chain, { head: headFor(FORK - 4) });
    const database = await createDatabase('empty');
    onTestFinished(async () => {
      await node.close();
      await database.drop();
    });
    const env = { env: { DATABASE_URL: database.url } };
    const args = ['index', '--beacon', node.url, '--from', `${FIRST}`];
    const calm = async () => {
      const ended = await stakegraph([...args, '--once'], env);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
    };
    let [kills, stored] = [0, 0];
    // Every other kill comes soon after an epoch was stored, the others at any moment.
    const kill = async () => {
      const isSoon = kills++ % 2 === 0;
      const { child, output, outcome } = launch([...args, '--json'], env);
      if (isSoon) await Promise.race([once(child.stdout, 'data'), outcome, sleep(60_000)]);
      await Promise.race([sleep(isSoon ? randomInt(100) : 500 + randomInt(2_500)), outcome]);
      child.kill('SIGKILL');
      await outcome;
      if (output.stdout !== '') stored += 1;
    };
    for (let each = 0; each < 5; each += 1) await kill();
    await calm();
    for (let epoch = FORK - 3; epoch < FORK + 2; epoch += 1) {
      node.setHead(headFor(epoch));
      await kill();
      await kill();
    }
    node.setHead(chain.last);
    for (let each = 0; each < 5; each += 1) await kill();
    expect(kills).toBe(20);
    expect(stored).toBeGreaterThan(4);
    await calm();
    const tables = Object.values(
      await compare(database.pool, new Run(readRecording('chain-gloas'), { from: FIRST })),
    );
    expect(tables.flatMap(({ differences }) => differences).slice(0, 10)).toEqual([]);
  });
});
