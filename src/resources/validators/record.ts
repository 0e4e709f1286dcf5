import { z } from 'zod';
import { count, flag, hex, text } from '../../kernel/leaves.ts';
import { badArgument, quoted } from '../../kernel/refusal.ts';

/** Only for GraphQL and imports: the interface documents no REST path. */
export const Validator = z
  .object({
    validatorIndex: count().describe('Index of the validator.'),
    validatorPubkey: hex(48).describe('Public key of the validator, 0x and 96 hex digits.'),
    depositAddress: hex(20)
      .nullable()
      .describe('Address that made the deposit, 0x and 40 hex digits; null when unknown.'),
    withdrawalAddress: hex(20)
      .nullable()
      .describe('Address that withdrawals go to, 0x and 40 hex digits; null before one is set.'),
    nodeOperator: text(256).min(1).nullable().describe('Operator that runs it; null when unknown.'),
    pool: text(256).min(1).nullable().describe('Pool or exchange of the stake; null outside pools.'),
    activationEpoch: count()
      .nullable()
      .describe('First epoch in which the validator has duties; null until it is known.'),
    exitEpoch: count()
      .nullable()
      .describe('First epoch in which the validator no longer has duties; null until it is known.'),
    slashed: flag().describe('Whether the validator was slashed.'),
  })
  .meta({ id: 'Validator', description: 'A validator and the entities it belongs to.' });
export type Validator = z.infer<typeof Validator>;
export type ValidatorField = keyof Validator;
export const validatorFields = Object.keys(Validator.shape) as ValidatorField[];

/** The public key is in lower case. */
export type ValidatorName = { index: number } | { pubkey: string };

/** Accepts an index, or a public key in any letter case. */
export function readValidatorName(text: string): ValidatorName | undefined {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return { index: Number(text) };
  return /^0x[0-9a-f]{96}$/i.test(text) ? { pubkey: text.toLowerCase() } : undefined;
}

/** Throws BAD_INPUT unless exactly one is given and valid. */
export function namedValidator(
  names: { index: string; pubkey: string },
  index: number | null | undefined,
  pubkey: string | null | undefined,
): ValidatorName {
  if ((index == null) === (pubkey == null)) {
    throw badArgument(names.index, `Give one of ${names.index} and ${names.pubkey}.`);
  }
  if (index != null && index < 0) {
    throw badArgument(names.index, `${names.index} is ${index}; an integer >= 0 is needed.`);
  }
  if (index != null) return { index };
  const read = readValidatorName(pubkey as string);
  if (!read || 'index' in read) {
    throw badArgument(
      names.pubkey,
      `${names.pubkey} is ${quoted(pubkey as string)}; 0x and 96 hex digits are needed.`,
    );
  }
  return read;
}
