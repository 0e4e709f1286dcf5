import { describe, expect, it } from 'vitest';
import { dutiesIn, dutyCount } from './duties.ts';
import { expected } from './expected.ts';
import { readRecording, recordingPath } from './recording.ts';
import { replayOf } from './replay.ts';
import { Run } from './run.ts';

const chains = ['chain-days', 'chain-wide'] as const;
const lastEpoch = { 'chain-days': 2709, 'chain-wide': 2289 };

describe.skipIf(!recordingPath('chain-days'))('the recomputation of recorded chains', () => {
  it.each(chains)('explains every balance of every state of %s', (chain) => {
    const recording = readRecording(chain);
    const { epochs, compared } = replayOf(recording).until(lastEpoch[chain]);
    const validatorsOf = [...recording.states.values()].slice(1).map(({ balances }) => balances.length);
    expect(compared).toBe(validatorsOf.reduce((sum, length) => sum + length));
    expect(epochs.size).toBe(chain === 'chain-days' ? 460 : 40);
  });

  it.each(chains)(
    'takes those for active that have a committee, and those for slashed whose record says so (%s)',
    (chain) => {
      const recording = readRecording(chain);
      const { epochs } = replayOf(recording).until(lastEpoch[chain]);
      for (const { epoch, terms } of epochs.values()) {
        const members = [...(recording.duties.get(epoch)?.committees.values() ?? [])].flat(2);
        expect(members.sort((a, b) => a - b)).toEqual(terms.active);
      }
      const slashed = [...epochs.values()].flatMap(({ blocks }) => blocks).flatMap((block) => block.slashed);
      const [before, after] = [[...recording.states.values()].at(0), [...recording.states.values()].at(-1)];
      const changed = after?.validators.flatMap((record, index) =>
        record.slashed && !before?.validators[index]?.slashed ? [index] : [],
      );
      expect(slashed.map(({ validator }) => validator).sort((a, b) => a - b)).toEqual(changed);
    },
  );

  it('gives a row one duty for each of its epochs, and rows of sync duty alone none', () => {
    const run = new Run(readRecording('chain-days'), { from: 2300 });
    const alone = [...dutiesIn(run, run.epochs).values()].filter((duties) => dutyCount(duties) === 0);
    expect(alone.every(({ sumSyncSignatureCount: count }) => count !== null)).toBe(true);
    for (const row of expected(run).validator_days as any[]) {
      if (dutyCount(row) > 0) expect(dutyCount(row)).toBe(row.endEpoch - row.startEpoch + 1);
      else expect(row.sumSyncSignatureCount).not.toBe(null);
    }
  });
});
