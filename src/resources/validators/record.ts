import { z } from 'zod';
import { count, flag, hex, text } from '../../kernel/leaves.ts';

/** A validator and whom it belongs to. The interface documents no path for it: GraphQL and the import only. */
export const Validator = z
  .object({
    validatorIndex: count().describe('Index of the validator.'),
    validatorPubkey: hex(48).describe('Public key of the validator, 0x and 96 hex digits.'),
    depositAddress: hex(20).describe('Address that made the deposit, 0x and 40 hex digits.'),
    withdrawalAddress: hex(20)
      .nullable()
      .describe('Address that withdrawals go to, 0x and 40 hex digits; null before one is set.'),
    nodeOperator: text(256).min(1).nullable().describe('Who runs the machines; null when not known.'),
    pool: text(256).min(1).nullable().describe('Pool or exchange of the stake; null outside pools.'),
    activationEpoch: count()
      .nullable()
      .describe('Epoch from which on the validator has duties; null until it is known.'),
    exitEpoch: count()
      .nullable()
      .describe('Epoch from which on the validator has no duties any more; null until it is known.'),
    slashed: flag().describe('Whether the validator was slashed.'),
  })
  .meta({ id: 'Validator', description: 'A validator and whom it belongs to.' });
export type Validator = z.infer<typeof Validator>;
export type ValidatorField = keyof Validator;
export const validatorFields = Object.keys(Validator.shape) as ValidatorField[];
