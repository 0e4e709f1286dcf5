import { sampleUntil } from '../../src/sample/chain.ts';
import * as make from '../../src/sample/index.ts';

/** The sample data of the tests ends here, so that their figures stay the same. */
export const SAMPLE_DATE = '2025-10-31';

export const sample = sampleUntil(SAMPLE_DATE);
export const headEpoch = sample.head;

type Validators = Parameters<typeof make.sampleBlocks>[1];
const seeded = (seed: number) => sampleUntil(SAMPLE_DATE, seed);

export const sampleOperators = (seed = 1) => make.sampleOperators(seeded(seed));
export const sampleSlashings = (seed = 1) => make.sampleSlashings(seeded(seed));
export const sampleValidators = (seed = 1) => make.sampleValidators(seeded(seed));
export const sampleDailyRewards = (seed = 1) => make.sampleDailyRewards(seeded(seed));
export const sampleNetworkRewards = (seed = 1) => make.sampleNetworkRewards(seeded(seed));
export const sampleSolanaOverviews = () => make.sampleSolanaOverviews(sample);
export const sampleStakeAuthorities = () => make.sampleStakeAuthorities(sample);
export const sampleBlocks = (validators: Validators, seed = 1) => make.sampleBlocks(seeded(seed), validators);
export const sampleConsolidations = (validators: Validators) => make.sampleConsolidations(sample, validators);
export const sampleSyncCommitteeRewards = (validators: Validators) =>
  make.sampleSyncCommitteeRewards(sample, validators);
