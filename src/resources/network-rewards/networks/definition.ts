import type { z } from 'zod';
import { count, date, decimalRatio, nonNegativeDecimal, text } from '../../../kernel/leaves.ts';

/** What a validator is called by, as far as the form is sure: `read` gives it as it is stored, or undefined. */
type IdForm = { form: string; read(text: string): string | undefined };

/** Faults of a row that matches its record, by field. */
export type RowFaults = Generator<[field: string, message: string]>;

/** A network whose rewards are published by UTC days: its two records, and what its validators are called by. */
export type RewardsDefinition = {
  /** The network for people. */
  title: string;
  /** The field of a validator's record that has its id. */
  idField: string;
  /** The field that only the record of the whole network has, by which an import tells one from the other. */
  countField: string;
  id: IdForm;
  /** For imports: converts a validator's row of a source to the form of the record. */
  tidied?(row: Record<string, unknown>): Record<string, unknown>;
  /** For imports: fields of a validator's row that contradict each other. */
  faults?(row: Record<string, unknown>): RowFaults;
  /** A validator of the sample data. */
  exampleId: string;
  validator: z.ZodObject;
  network: z.ZodObject;
};

export const BASE58 = '1-9A-HJ-NP-Za-km-z';
const BECH32 = '02-9ac-hj-np-z';

/** A form that is told by a pattern alone. */
export const idForm = (pattern: RegExp, form: string): IdForm => ({
  form,
  read: (given) => (pattern.test(given) ? given : undefined),
});

/** Bech32 text of a prefix with so many digits after the separator, 6 of them its checksum. */
export const bech32 = (prefix: string, ...digits: number[]) =>
  new RegExp(`^${prefix}1(?:${digits.map((length) => `[${BECH32}]{${length}}`).join('|')})$`);

/** A bech32 address: it may be written in capitals and stands for the same in lower case (BIP 173). */
export const bech32Form = (pattern: RegExp, form: string): IdForm => ({
  form,
  read: (given) => (pattern.test(given.toLowerCase()) ? given.toLowerCase() : undefined),
});

export const day = () => date().describe('UTC date of the rewards.');
export const name = (description: string) =>
  text().min(1).nullable().describe(`${description}; null without one.`);

/** An exact amount >= 0 in the network's own token. */
export const amount = (what: string, token: string) => nonNegativeDecimal().describe(`${what}, in ${token}.`);
/** An exact ratio 0..1. */
export const rate = (what: string) => decimalRatio().describe(`${what}, 0..1: 0.05 is 5 %.`);

/** The blocks of a day, both included. */
export const blocks = {
  fromBlockNumber: count().describe('First block of the rewards, inclusive.'),
  toBlockNumber: count().describe('Last block of the rewards, inclusive.'),
};
