import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { badInput, quoted } from '../../kernel/refusal.ts';

export const Validator = z
  .object({
    validatorIndex: Leaf.count().describe('Index of the validator.'),
    validatorPubkey: Leaf.hex(48).describe('Public key of the validator, 0x and 96 hex digits.'),
    depositAddress: Leaf.hex(20)
      .nullable()
      .describe('Address that made the deposit, 0x and 40 hex digits; null when unknown.'),
    withdrawalAddress: Leaf.hex(20)
      .nullable()
      .describe('Address that withdrawals go to, 0x and 40 hex digits; null before one is set.'),
    nodeOperator: Leaf.text(256).min(1).nullable().describe('Operator that runs it; null when unknown.'),
    pool: Leaf.text(256).min(1).nullable().describe('Pool or exchange of the stake; null outside pools.'),
    activationEpoch: Leaf.count()
      .nullable()
      .describe('First epoch in which the validator has duties; null until it is known.'),
    exitEpoch: Leaf.count()
      .nullable()
      .describe('First epoch in which the validator no longer has duties; null until it is known.'),
    slashed: Leaf.flag().describe('Whether the validator was slashed.'),
  })
  .meta({ id: 'Validator', description: 'A validator and the entities it belongs to.' });
export type Validator = z.infer<typeof Validator>;
export const validatorFields = Object.keys(Validator.shape) as (keyof Validator)[];

/** `pubkey` is in lower case, with 0x. */
export type ValidatorName = { index: number } | { pubkey: string };

/** Clients of beacon nodes write public keys without 0x, too. */
const PUBKEY = /^(?:0x)?([0-9a-f]{96})$/i;

export function readValidatorName(text: string): ValidatorName | undefined {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return { index: Number(text) };
  const digits = PUBKEY.exec(text)?.[1];
  return digits === undefined ? undefined : { pubkey: `0x${digits.toLowerCase()}` };
}

export type ValidatorNames = { index?: number | null | undefined; pubkey?: string | null | undefined };

export function readValidatorBy(
  { index, pubkey }: ValidatorNames,
  at: readonly (string | number)[],
): ValidatorName {
  const path = at.join('.');
  if ((index == null) === (pubkey == null)) throw badValue(at, `${path} needs one of index and pubkey.`);
  return index == null ? readPubkey([...at, 'pubkey'], pubkey as string) : readIndex([...at, 'index'], index);
}

const badValue = (at: readonly (string | number)[], msg: string) =>
  badInput([{ loc: ['argument', ...at], msg, type: 'value_error' }]);

function readIndex(at: readonly (string | number)[], index: number): ValidatorName {
  if (index >= 0) return { index };
  throw badValue(at, `${at.join('.')} is ${index}; an integer >= 0 is needed.`);
}

export function readPubkey(at: readonly (string | number)[], pubkey: string): { pubkey: string } {
  const read = readValidatorName(pubkey);
  if (read && 'pubkey' in read) return read;
  throw badValue(at, `${at.join('.')} is ${quoted(pubkey)}; 96 hex digits are needed, with or without 0x.`);
}
