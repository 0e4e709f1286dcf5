import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EpochFacts, Vote } from '../../../src/indexer/chain/types.ts';
import { EffectiveBalances, effectiveChanges } from '../../../src/indexer/store/effective.ts';
import {
  decodeRecord,
  type EpochRecord,
  encodeRecord,
  epochRecord,
} from '../../../src/indexer/store/record.ts';
import { keyOf } from '../../../src/indexer/store/reward-table.ts';
import { runs } from '../../support/thorough.ts';
import { chance, madeFacts } from './made-facts.ts';

const ETH = 1_000_000_000;
const facts = madeFacts({ size: 30 }, 2_300);

function factsOf(votes: number[], delays: number[], rewards: number[], eth: number[]): EpochFacts {
  const effectiveBalances = Float64Array.from(eth, (each) => each * ETH);
  return {
    ...{ ...facts, effectiveBalances, nextEffectiveBalances: effectiveBalances },
    ...{ votes: Uint8Array.from(votes), delays: Uint8Array.from(delays) },
    ...{ rewards: Float64Array.from(rewards), balances: new Float64Array(votes.length) },
  };
}

function rewardsIn({ votes, table, exceptions }: EpochRecord, eth: ArrayLike<number>): number[] {
  const found = [...votes].map((vote, v) => table[keyOf(eth[v] as number, vote)] as number);
  for (const [v, reward] of exceptions) found[v] = reward;
  return found;
}

const bytesOf = (table: Float64Array) => new Uint8Array(table.buffer, table.byteOffset, table.byteLength);

it('a stored epoch has all votes, delays and rewards again, of any size and however many differ', async () => {
  const validator = fc.tuple(
    ...([fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 64 })] as const),
    ...([fc.oneof(fc.integer(), fc.constant(9_000)), fc.integer({ min: 0, max: 2_048 })] as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(validator, { maxLength: 600 }), async (all) => {
      const column = (at: 0 | 1 | 2 | 3) => all.map((one) => one[at]);
      const [votes, delays, rewards, eth] = [column(0), column(1), column(2), column(3)];
      const record = epochRecord(factsOf(votes, delays, rewards, eth), []);
      const again = await decodeRecord(await encodeRecord(record));
      // To compare the 32,784 rewards of the table one by one took most of the time.
      expect(Buffer.compare(bytesOf(again.table), bytesOf(record.table))).toBe(0);
      expect({ ...again, table: null }).toEqual({ ...record, table: null });
      expect([[...again.votes], [...again.delays]]).toEqual([votes, delays]);
      expect(rewardsIn(again, eth)).toEqual(rewards);
      expect(again.totals.attestation).toBe(rewards.reduce((sum, one) => sum + one, 0));
    }),
    runs(200),
  );
});

it('a stored epoch has about as many bytes as its votes, whatever the effective balances', async () => {
  const size = 50_000;
  const all = Array.from({ length: size }, (_, v) => v);
  const missed = (v: number) => chance(100, v, 1) === 0;
  const votes = all.map((v) => (missed(v) ? Vote.duty : Vote.duty + Vote.included + 7));
  const delays = all.map((v) => (missed(v) ? 0 : 1));
  const eth = all.map((v) => 32 + chance(2_017, v, 2));
  const rewards = all.map((v) => Math.floor((missed(v) ? -270.3 : 478.9) * (eth[v] as number)));
  const bytes = async (balances: number[], of: number[]) =>
    (await encodeRecord(epochRecord(factsOf(votes, delays, of, balances), []))).length;
  const same = await bytes(
    Array(size).fill(32),
    all.map((v) => (missed(v) ? -8_650 : 15_325)),
  );
  expect((await bytes(eth, rewards)) - same).toBeLessThan(8_000);
});

it('effective balances of each epoch follow from those of the last and from what changed', () => {
  const epoch = fc.array(fc.integer({ min: 0, max: 2_048 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(epoch, { minLength: 1, maxLength: 12 }), (epochs) => {
      const gwei = epochs.map((eth) => Float64Array.from(eth, (each) => each * ETH));
      const changes = gwei.slice(1).map((next, at) => ({
        ...{ epoch: at, changes: effectiveChanges(gwei[at] as Float64Array, next) },
      }));
      const found = new EffectiveBalances(gwei.at(-1) as Float64Array, changes.toReversed());
      for (const [at, eth] of epochs.entries()) {
        expect([...found.eth]).toEqual(eth);
        found.pass(at);
      }
    }),
    runs(100),
  );
});
