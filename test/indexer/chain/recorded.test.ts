import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chain, type SavedChain } from '../../../src/indexer/chain/index.ts';
import type { EpochFacts } from '../../../src/indexer/chain/types.ts';
import { every, runs, slow } from '../../support/thorough.ts';
import { recorded, recordingOf } from './recording.ts';

describe.skipIf(!recorded)('recorded chains', () => {
  const chains = [
    ['chain-days', 160, 459],
    ['chain-wide', 12_400, 39],
    ['chain-gloas', 320, 123],
  ] as const;

  slow.each(chains)('%s: every balance of every epoch is explained', (name, validators, epochs) => {
    const recording = recordingOf(name);
    const chain = Chain.begin(recording.spec, recording.start(recording.firstEpoch));
    const facts = recording.run(chain);
    expect(chain.epoch).toBe(recording.lastEpoch + 1);
    expect(facts.map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: epochs }, (_, at) => recording.firstEpoch + at),
    );
    expect(facts.at(-1)?.balances.length).toBeGreaterThanOrEqual(validators);
  });

  slow.each([
    ['chain-days', [2_251, 2_252, 2_297, 2_300, 2_344, 2_430, 2_525, 2_526, 2_527, 2_574]],
    ['chain-wide', [2_251, 2_256, 2_260, 2_274, 2_278, 2_280]],
  ] as const)('%s: begun anywhere, it gives the same facts', (name, starts) => {
    const recording = recordingOf(name);
    const whole = recording.run(Chain.begin(recording.spec, recording.start(recording.firstEpoch)));
    for (const epoch of starts) {
      const chain = Chain.begin(recording.spec, recording.start(epoch));
      const facts = recording.run(chain, Math.min(recording.lastEpoch, epoch + 5));
      for (const each of facts) {
        const same = whole[each.epoch - recording.firstEpoch] as EpochFacts;
        const first = each.epoch === epoch; // its `changed` names all validators
        expect(isDeepStrictEqual({ ...each, changed: 0 }, { ...same, changed: 0 }), `from ${epoch}`).toBe(
          true,
        );
        expect(each.changed.length).toBe(first ? each.balances.length : same.changed.length);
      }
    }
  });

  it('begun in a leak, whose inactivity scores nobody tells, it is refused; before it, it goes through', () => {
    const recording = recordingOf('chain-wide');
    for (const epoch of [2_267, 2_272])
      expect(() => Chain.begin(recording.spec, recording.start(epoch))).toThrow(
        /in an inactivity leak.*begin at epoch 2266 or before/,
      );
    const chain = Chain.begin(recording.spec, recording.start(2_266));
    expect(recording.run(chain, 2_275)).toHaveLength(9);
  });

  slow.each(every(2, chains, 1))(
    '%s: saved and restored at any epoch, it goes on with the same facts',
    (name) => {
      const recording = recordingOf(name);
      const chain = Chain.begin(recording.spec, recording.start(recording.firstEpoch));
      const saved = new Map<number, SavedChain>();
      const facts: EpochFacts[] = [];
      for (let epoch = recording.firstEpoch; epoch <= recording.lastEpoch; epoch++) {
        facts.push(...recording.run(chain, epoch));
        saved.set(epoch + 1, chain.save());
      }
      const epochs = fc.integer({ min: recording.firstEpoch + 1, max: recording.lastEpoch - 3 });
      fc.assert(
        fc.property(epochs, fc.boolean(), (epoch, twice) => {
          const bytes = saved.get(epoch) as SavedChain;
          let again = Chain.restore(recording.spec, bytes, recording.resume(epoch));
          const told = recording.run(again, epoch + 1);
          if (twice) again = Chain.restore(recording.spec, again.save(), recording.resume(epoch + 2));
          told.push(...recording.run(again, epoch + 3));
          const from = epoch - 1 - recording.firstEpoch;
          expect(isDeepStrictEqual(told, facts.slice(from, from + 4))).toBe(true);
        }),
        { ...runs(40), endOnFailure: true },
      );
    },
  );
});
