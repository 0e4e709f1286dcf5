import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import { newStatus } from '../../src/indexer/status.ts';
import { type BeaconNode, hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { eventually, until } from '../support/eventually.ts';
import { createDatabase, startGateway } from '../support/gateway.ts';
import { indexed } from '../support/indexed.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import { compare } from './oracle/compare.ts';
import { isFull, isGloas } from './oracle/payloads.ts';
import { readRecording } from './oracle/recording.ts';
import { Run } from './oracle/run.ts';

const SLOTS = 32;
/** The fork is at epoch 2519; the head begins before it. */
const RANGE = { from: 2_514, to: 2_521 };
const START = 2_518 * SLOTS + 20;
/** A slot with a block. */
const END = (RANGE.to + 4) * SLOTS + 4;
const PAYLOADS = /execution_payload_envelopes/;

/** The same numbers for the same seed; each call gives a whole number below `below`. */
function randomOf(seed: number) {
  let x = seed;
  return (below: number) => {
    x = (x * 1103515245 + 12345) & 0x7fffffff;
    return (x >> 8) % below;
  };
}

/** Moves of the head: on, back within an epoch, to another branch and back; payloads come late or not at all for a while. */
async function wander(node: BeaconNode, random: (below: number) => number): Promise<void> {
  while (node.head < END - 8) {
    const move = random(10);
    if (move === 0) node.reorganise(1 + random(4));
    else if (move === 1 && node.branch !== undefined) node.settle();
    else if (move === 2) node.setHead(node.head - random(Math.min(4, (node.head % SLOTS) + 1)));
    else if (move === 3) node.break(PAYLOADS, 404, 1 + random(4));
    else node.advance(1 + random(3));
    // Branches stay long enough for a slow machine to report them.
    await sleep(node.branch === undefined ? random(120) : 400);
  }
}

/** What is near the head: of each slot the root, and whether the block is full, as the next block shows. */
function headOf(chain: ReturnType<typeof readRecording>, from: number) {
  const rows = new Map<number, unknown>();
  for (let slot = from; slot <= END; slot += 1) {
    const root = chain.blocks.get(slot)?.root ?? null;
    const status = slot === END ? 'UNKNOWN' : isFull(chain, slot) ? 'FULL' : 'EMPTY';
    rows.set(slot, { root, status: root && isGloas(chain, slot) ? status : null });
  }
  return rows;
}

describe.skipIf(!hasRecordings)('near a head that moves and reorganises across the Gloas fork', () => {
  slow.each([[1], [2]])('rows and events end as the chain does (seed %i)', async (seed) => {
    const chain = readRecording('chain-gloas', RANGE.to + 8);
    const [node, database] = [
      await startBeaconNode(recordedChain('gloas'), { head: START }),
      await createDatabase('empty'),
    ];
    const gateway = await startGateway({ database });
    const [stop, status, said] = [new AbortController(), newStatus(), [] as string[]];
    onTestFinished(async () => {
      stop.abort();
      await Promise.all([gateway.close(), node.close()]);
      await database.drop();
    });
    const events = await subscribe(
      gateway,
      `subscription { blockAdded(network: HOODI) { omitted blocks { consensusSlot consensusBlockRoot payload { status } } } }`,
    );
    await events.next();
    const running = indexed(database, [node.url], {
      ...{ from: RANGE.from, once: false, stop: stop.signal, status },
      say: (_level, message) => said.push(message),
    });
    await until(() => status.indexedEpoch !== undefined, running);
    await wander(node, randomOf(seed));
    node.mend();
    node.settle();
    node.setHead(END);
    await until(() => status.indexedEpoch === RANGE.to, running);

    const head = headOf(chain, START);
    const rows = async () => {
      const found = await rowsOf<{ slot: number }>(
        database.pool,
        `select slot, consensus_block_root as root, upper(payload_status) as status from blocks where slot >= $1 order by 1`,
        [START],
      );
      return new Map(found.map(({ slot, ...row }) => [slot, row]));
    };
    await eventually(async () => expect(await rows()).toEqual(head), 60_000);
    const last = new Map<number, unknown>();
    const told = () => {
      for (const { data } of events.results) {
        expect(data.blockAdded.omitted).toBe(0);
        for (const { consensusSlot, consensusBlockRoot: root, payload } of data.blockAdded.blocks)
          if (consensusSlot >= START) last.set(consensusSlot, { root, status: payload?.status ?? null });
      }
      return new Map([...last].sort(([a], [b]) => a - b));
    };
    await eventually(() => expect(told()).toEqual(head), 60_000);

    // Blocks of other branches were reported, and some blocks both as full and as empty.
    const blocks = events.results.flatMap(({ data }) => data.blockAdded.blocks) as any[];
    const roots = new Set(blocks.map((one) => one.consensusBlockRoot));
    const known = new Set([null, ...chain.roots.values()]);
    expect([...roots].filter((root) => !known.has(root)).length).toBeGreaterThan(0);
    const as = (status: string) =>
      new Set(blocks.filter((one) => one.payload?.status === status).map((one) => one.consensusBlockRoot));
    expect([...as('FULL')].filter((root) => as('EMPTY').has(root)).length).toBeGreaterThan(0);
    expect(status.nodeErrors.get('missing-payload')).toBeGreaterThan(0);

    stop.abort();
    await running;
    // Another run publishes the days that are open.
    await indexed(database, [node.url], { to: RANGE.to });
    const tables = Object.values(await compare(database.pool, new Run(chain, RANGE)));
    expect(tables.flatMap(({ differences }) => differences).slice(0, 10)).toEqual([]);
    expect(status.reconcileFailures, said.join('\n')).toBe(0);
  });
});
