import { describe, expect, it } from 'vitest';
import { slow } from '../support/thorough.ts';
import { checkAnswers } from './oracle/check.ts';
import { recordingPath } from './oracle/recording.ts';

/** Each takes one to two minutes alone, and more than five beside other work. */
const LONG = { timeout: 900_000 };

describe.skipIf(!recordingPath('chain-days'))('an index of a recorded chain', () => {
  it('leaves the rows of a recomputation, and both APIs answer as after imports of these', async () => {
    const counts = await checkAnswers('chain-days', { from: 2270, to: 2280, pauses: [2273] });
    expect(counts).toMatchObject({ validator_days: 320, attestation_hours: 36, blocks: 352, slashings: 1 });
  });

  slow('from its first epoch on (chain-days)', LONG, async () => {
    const counts = await checkAnswers('chain-days', { from: 2250 });
    const days = { validator_days: 972, attestation_days: 60, chain_daily_rewards: 2 };
    expect(counts).toMatchObject({ ...days, consolidations: 3, sync_committee_rewards: 7_064_064 });
  });

  slow('from the middle of a day (chain-days)', LONG, async () => {
    const counts = await checkAnswers('chain-days', { from: 2300, pauses: [2395, 2436] });
    expect(counts).toMatchObject({ validator_days: 972, attestation_hours: 792, chain_daily_rewards: 1 });
  });
});
