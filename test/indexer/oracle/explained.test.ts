import { describe, expect, it } from 'vitest';
import { slow } from '../../support/thorough.ts';
import { type Duties, dutiesIn, dutyCount } from './duties.ts';
import { expected } from './expected.ts';
import { type Recording, readRecording, recordingPath } from './recording.ts';
import { replayOf } from './replay.ts';
import { Run } from './run.ts';

/** The first states of a recording are compared with nothing: it begins with them. */
function checkBalances(recording: Recording, last: number) {
  const { compared } = replayOf(recording).until(last);
  const counts = [...recording.states.values()].slice(1).map(({ balances }) => balances.length);
  expect(compared).toBe(counts.reduce((sum, count) => sum + count));
  return compared;
}

function checkMembers(recording: Recording) {
  for (const { epoch, terms } of replayOf(recording).epochs.values()) {
    const members = [...(recording.duties.get(epoch)?.committees.values() ?? [])].flat(2);
    expect(members.sort((a, b) => a - b)).toEqual(terms.active);
  }
}

function checkSlashed(recording: Recording) {
  const blocks = [...replayOf(recording).epochs.values()].flatMap((epoch) => epoch.blocks);
  const states = [...recording.states.values()];
  const [before, after] = [states.at(0)?.validators, states.at(-1)?.validators];
  const changed = after?.flatMap(({ slashed }, index) =>
    slashed && !before?.[index]?.slashed ? [index] : [],
  );
  const slashed = blocks.flatMap((block) => block.slashed).map(({ validator }) => validator);
  expect(slashed.sort((a, b) => a - b)).toEqual(changed);
}

function checkDuties(run: Run) {
  for (const row of expected(run).validator_days as unknown as Duties[]) {
    if (dutyCount(row) > 0) expect(dutyCount(row)).toBe(row.endEpoch - row.startEpoch + 1);
    else expect(row.sumSyncSignatureCount).not.toBe(null);
  }
  const alone = [...dutiesIn(run, run.epochs).values()].filter((duties) => dutyCount(duties) === 0);
  expect(alone.every(({ sumSyncSignatureCount: count }) => count !== null)).toBe(true);
}

describe.skipIf(!recordingPath('chain-days'))('the recomputation of recorded chains', () => {
  it('explains every balance of the first epochs', () => {
    const recording = readRecording('chain-days', 2283);
    expect(checkBalances(recording, 2282)).toBe(10_560);
    checkMembers(recording);
    checkSlashed(recording);
  });

  slow('explains every balance of all states (chain-days)', () => {
    const recording = readRecording('chain-days');
    expect(checkBalances(recording, 2709)).toBe(148_731);
    checkMembers(recording);
    checkSlashed(recording);
    checkDuties(new Run(recording, { from: 2300 }));
  });

  slow('explains every balance of all states (chain-wide)', () => {
    const recording = readRecording('chain-wide');
    expect(checkBalances(recording, 2289)).toBe(992_121);
    checkMembers(recording);
    checkSlashed(recording);
    checkDuties(new Run(recording, { from: 2260 }));
  });

  it('explains every balance of all states (chain-gloas)', () => {
    const recording = readRecording('chain-gloas');
    expect(checkBalances(recording, 2593)).toBe(80_217);
    checkMembers(recording);
    checkSlashed(recording);
    checkDuties(new Run(recording, { from: 2470 }));
  });
});
