import { describe, expect } from 'vitest';
import { slow } from '../support/thorough.ts';
import { checkAnswers } from './oracle/check.ts';
import { recordingPath } from './oracle/recording.ts';

describe.skipIf(!recordingPath('chain-wide'))('an index of a recorded chain', () => {
  slow('from its first epoch on (chain-wide)', async () => {
    const counts = await checkAnswers('chain-wide', { from: 2250 });
    expect(counts).toMatchObject({ validators: 12_403, validator_days: 24_800, slashings: 4 });
  });

  slow('from the middle of a day (chain-wide)', async () => {
    const counts = await checkAnswers('chain-wide', { from: 2260 });
    expect(counts).toMatchObject({ validator_days: 24_796, slashings: 3, consolidations: 2 });
  });
});
