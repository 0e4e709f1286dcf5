import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRecord, encodeRecord, recordOf } from '../../../src/indexer/store/record.ts';
import { runs } from '../../support/thorough.ts';
import { madeFacts } from './made-facts.ts';

const facts = madeFacts({ size: 30 }, 2_300);

it('a stored epoch has all votes, delays and rewards again, of any size and however many differ', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 64 }), fc.integer()), {
        maxLength: 600,
      }),
      async (validators) => {
        const size = validators.length;
        const record = recordOf(
          {
            ...facts,
            votes: Uint8Array.from(validators, ([vote]) => vote),
            delays: Uint8Array.from(validators, ([, delay]) => delay),
            rewards: Float64Array.from(validators, ([, , reward]) => reward),
            balances: new Float64Array(size),
            effectiveBalances: new Float64Array(size),
          },
          [],
        );
        const again = await decodeRecord(await encodeRecord(record));
        expect(again).toEqual(record);
        const told = [...again.symbols].map((symbol) => [
          ...[again.votes[symbol], again.delays[symbol], again.rewards[symbol]],
        ]);
        expect(told).toEqual(validators);
      },
    ),
    runs(200),
  );
});

it('a stored epoch holds more than 65,536 different rewards', async () => {
  const size = 70_000;
  const rewards = Float64Array.from({ length: size }, (_, v) => v - 35_000);
  const arrays = { votes: new Uint8Array(size).fill(255), delays: new Uint8Array(size).fill(1), rewards };
  const balances = { balances: new Float64Array(size), effectiveBalances: new Float64Array(size) };
  const again = await decodeRecord(await encodeRecord(recordOf({ ...facts, ...arrays, ...balances }, [])));
  expect(Float64Array.from(again.symbols, (symbol) => again.rewards[symbol] as number)).toEqual(rewards);
  expect(again.totals.attestation).toBe(-35_000);
});
