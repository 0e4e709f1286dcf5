import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Chain, type SavedChain } from '../../../src/indexer/chain/index.ts';
import type { EpochFacts } from '../../../src/indexer/chain/types.ts';
import { slow } from '../../support/thorough.ts';
import { bidRow, builderRows, isGloas } from '../oracle/payloads.ts';
import { readRecording, recordingPath } from '../oracle/recording.ts';
import { recordingOf } from './recording.ts';

const FORK = 2_519;
const name = 'chain-gloas';

const start = 'stakegraph-chain'.length;
const savedIn = ({ state }: SavedChain) => deserialize(inflateRawSync(state.subarray(start + 36)));

/** The state as the version before Gloas has saved it. */
function asBeforeGloas(saved: SavedChain): SavedChain {
  const { state, deposits } = saved;
  const { blocks, payments, builders, open, ...rest } = savedIn(saved);
  const old = {
    ...rest,
    open: {
      ...open,
      blocks: open.blocks.map(({ payload, bid, block, ...facts }: any) => {
        if (!block) return { ...facts, block };
        const { bid: _, slashedSlots, builderDeposits, execution, ...fields } = block;
        const { builderWithdrawals, ...payloadFields } = execution;
        return { ...facts, block: { ...fields, execution: payloadFields } };
      }),
    },
  };
  const body = deflateRawSync(serialize(old));
  const version = Buffer.from([2, 0, 0, 0]);
  const digest = createHash('sha256').update(body).digest();
  return { state: Buffer.concat([state.subarray(0, start), version, digest, body]), deposits };
}

function differences({ epoch, blocks, builders }: EpochFacts): unknown[] {
  const oracle = readRecording(name);
  const wrong: unknown[] = [];
  for (const { slot, block, payload, bid } of blocks) {
    const told = { slot, payload, ...bid };
    const expected = block && isGloas(oracle, slot) ? bidRow(oracle, slot) : { slot, payload: null };
    if (!isDeepStrictEqual(told, expected)) wrong.push({ told, expected });
    if (block && (block.execution === null) !== (payload === 'empty')) wrong.push({ slot, payload });
  }
  const rows = builderRows(oracle, epoch);
  if (!isDeepStrictEqual(builders, rows.length ? rows : null)) wrong.push({ epoch, builders, rows });
  return wrong;
}

describe.skipIf(!recordingPath(name))('chain-gloas', () => {
  slow.each([2_470, 2_505, FORK - 1, FORK, FORK + 1, FORK + 2, 2_545])(
    'begun at epoch %i: payloads, bids, payments and builders are those of a recomputation',
    (from) => {
      const recording = recordingOf(name);
      const facts = recording.run(Chain.begin(recording.spec, recording.start(from)));
      expect(facts.at(-1)?.epoch).toBe(recording.lastEpoch - 1);
      expect(facts.flatMap(differences).slice(0, 5)).toEqual([]);
    },
  );

  slow.each([FORK - 3, FORK - 2, FORK - 1])(
    'a state that the version before Gloas has saved for epoch %i is taken over',
    (epoch) => {
      const recording = recordingOf(name);
      const chain = Chain.begin(recording.spec, recording.start(2_505));
      recording.run(chain, epoch - 1);
      const old = asBeforeGloas(chain.save());
      const again = Chain.restore(recording.spec, old, recording.resume(epoch));
      const facts = [recording.run(chain), recording.run(again)];
      expect(facts[1]?.length).toBe(recording.lastEpoch - epoch + 1);
      expect(isDeepStrictEqual(facts[1], facts[0])).toBe(true);
    },
  );

  slow(
    'saved and restored around the fork and after withheld payloads, it goes on with the same facts',
    () => {
      const recording = recordingOf(name);
      const chain = Chain.begin(recording.spec, recording.start(2_516));
      let again = chain;
      while (chain.epoch < 2_545) {
        const { epoch } = chain;
        const expected = recording.run(chain, epoch);
        const facts = recording.run(again, epoch);
        expect(isDeepStrictEqual(facts, expected), `epoch ${epoch}`).toBe(true);
        again = Chain.restore(recording.spec, again.save(), recording.resume(epoch + 1));
      }
    },
  );

  slow('the weights of votes for bids that are not settled are those of the states', () => {
    const recording = recordingOf(name);
    const oracle = readRecording(name);
    const chain = Chain.begin(recording.spec, recording.start(FORK - 2));
    let compared = 0;
    while (chain.epoch < recording.lastEpoch) {
      recording.run(chain, chain.epoch);
      const first = chain.epoch * 32;
      const { payments } = savedIn(chain.save());
      const pending = [...payments].flatMap(([slot, { weight, value, payment }]: [number, any]) => {
        const told = { weight: BigInt(weight) * 10n ** 9n, amount: value };
        return payment === null && value > 0n ? [[slot - first + 32, told] as const] : [];
      });
      expect(new Map(pending), `epoch ${chain.epoch}`).toEqual(oracle.states.get(first)?.payments);
      compared += pending.length;
    }
    expect(compared).toBeGreaterThan(80);
  });

  it('without builders, it tells the same of payloads and payments', () => {
    const recording = recordingOf(name);
    const chain = Chain.begin(recording.spec, recording.start(FORK - 2));
    while (chain.epoch < FORK + 6) {
      const input = recording.input(chain.epoch, chain);
      const facts = chain.step({ ...input, next: { ...input.next, builders: null } });
      if (!facts) continue;
      expect(facts.builders).toBeNull();
      for (const { slot, block, payload, bid } of facts.blocks) {
        if (!block?.bid) continue;
        const { builder, ...expected } = bidRow(readRecording(name), slot);
        const { builder: told, ...rest } = { slot, payload, ...bid };
        expect(rest).toEqual(expected);
        expect(told).toEqual(builder && { index: builder.index, pubkey: null });
      }
    }
  });
});
