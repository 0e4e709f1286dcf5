import type { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';

type IdForm = { form: string; schema: { type: string }; read(text: string): string | undefined };

export type RowFaults = Generator<[field: string, message: string]>;

export const rewardSums = ['validatorRewards', 'delegatorRewards'] as const;
export type RewardSum = (typeof rewardSums)[number];

export type RewardsDefinition = {
  title: string;
  idField: string;
  /** An imported row with this field belongs to the network, not to a validator. */
  countField: string;
  nameField?: string;
  id: IdForm;
  tidied?(row: Record<string, unknown>): Record<string, unknown>;
  faults?(row: Record<string, unknown>): RowFaults;
  /** Ends the message about a second row of a day. */
  ofRepeated?: string;
  exampleId: string;
  /** For each reward, the fields of `validator` and `network` that add up to it. */
  sums: Record<RewardSum, string[]>;
  validator: z.ZodObject;
  network: z.ZodObject;
};

export const BASE58 = '1-9A-HJ-NP-Za-km-z';
const BECH32 = '02-9ac-hj-np-z';

export const idForm = (pattern: RegExp, form: string, schema = { type: 'string' }): IdForm => ({
  form,
  schema,
  read: (given) => (pattern.test(given) ? given : undefined),
});

/** `digits`: allowed numbers of characters after the separator, including 6 for the checksum. */
export const bech32 = (prefix: string, ...digits: number[]) =>
  new RegExp(`^${prefix}1(?:${digits.map((length) => `[${BECH32}]{${length}}`).join('|')})$`);

/** Also accepts upper case (BIP 173). */
export const bech32Form = (pattern: RegExp, form: string): IdForm => ({
  form,
  schema: { type: 'string' },
  read: (given) => (pattern.test(given.toLowerCase()) ? given.toLowerCase() : undefined),
});

export const day = () => Leaf.date().describe('UTC date of the rewards.');
export const name = (description: string) =>
  Leaf.text().min(1).nullable().describe(`${description}; null without one.`);

export const amount = (what: string, token: string) =>
  Leaf.nonNegativeDecimal().describe(`${what}, in ${token}.`);
export const rate = (what: string) => Leaf.decimalRatio().describe(`${what}, 0..1: 0.05 is 5 %.`);

export const blockNumbers = {
  fromBlockNumber: Leaf.count().describe('First block of the rewards, inclusive.'),
  toBlockNumber: Leaf.count().describe('Last block of the rewards, inclusive.'),
};
