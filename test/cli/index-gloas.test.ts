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

const FORK = 2_519;
const RANGE = { from: FORK - 5, to: FORK + 16 };
/** Slot of the head with which an epoch is the newest that can be stored. */
const headFor = (epoch: number) => (epoch + 4) * 32;

afterEach(endRunning);

describe.skipIf(!hasRecordings)('an index across the Gloas fork that is killed at any moment', () => {
  it('has the rows of a recomputation after 20 kills, of which 10 are around the fork', async () => {
    const node = await startBeaconNode(recordedChain('gloas'), { head: headFor(RANGE.from) });
    const database = await createDatabase('empty');
    onTestFinished(async () => {
      await node.close();
      await database.drop();
    });
    const env = { env: { DATABASE_URL: database.url } };
    const args = ['index', '--beacon', node.url, '--from', `${RANGE.from}`];
    let stored = 0;
    // Of each two kills, one comes soon after an epoch was stored, and one at any moment.
    const kill = async (isSoon: boolean) => {
      const { child, output, outcome } = launch([...args, '--json'], env);
      if (isSoon) await Promise.race([once(child.stdout, 'data'), outcome, sleep(10_000)]);
      await Promise.race([sleep(isSoon ? randomInt(100) : 500 + randomInt(2_500)), outcome]);
      child.kill('SIGKILL');
      await outcome;
      if (output.stdout !== '') stored += 1;
    };
    for (let epoch = FORK - 3; epoch < FORK + 2; epoch += 1) {
      node.setHead(headFor(epoch));
      await kill(true);
      await kill(false);
    }
    node.setHead(headFor(RANGE.to));
    for (let each = 0; each < 10; each += 1) await kill(each % 2 === 0);
    expect(stored).toBeGreaterThan(4);
    const last = await stakegraph([...args, '--once'], env);
    expect(last, last.stderr).toMatchObject({ code: 0 });
    const run = new Run(readRecording('chain-gloas', RANGE.to + 3), RANGE);
    const tables = Object.values(await compare(database.pool, run));
    expect(tables.flatMap(({ differences }) => differences).slice(0, 10)).toEqual([]);
  });
});
