import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** What a ranking can be ordered by. */
export const rankingFields = ['effectiveness', 'rewards', 'missed'] as const;
export type RankingField = (typeof rankingFields)[number];

export const RankedValidator = z
  .object({
    rank: Leaf.count().describe('Place in the ranking, at least 1.'),
    validatorIndex: Leaf.count().describe('Index of the validator.'),
    dayCount: Leaf.count().describe('Days of the range on which it had attestation duties, at least 0.'),
    avgValidatorEffectiveness: Leaf.nonNegative()
      .nullable()
      .describe(
        'Mean of its effectiveness on these days, in percent, 0..100; null when it had no attestation duty.',
      ),
    sumRewards: Leaf.signedSum().describe(
      'Consensus and execution rewards less penalties of the range, in Gwei.',
    ),
    sumMissedAttestations: Leaf.bigCount().describe('Attestations missed in the range, at least 0.'),
  })
  .meta({ id: 'RankedValidator', description: 'A validator in a ranking, with its figures of the range.' });
export type RankedValidator = z.infer<typeof RankedValidator>;
