import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { badInput, quoted } from '../../kernel/refusal.ts';

const ofBids = (which: string) => Leaf.count().describe(`${which}, at least 0.`);
const summed = (which: string) => Leaf.gwei().describe(`${which}, added up, in Gwei.`);

/** In GraphQL and imports only. */
export const Builder = z
  .object({
    pubkey: Leaf.hex(48).describe('Public key, 0x and 96 hex digits.'),
    index: Leaf.count().describe('Index, >= 0. Another builder may get it once this one has left.'),
    executionAddress: Leaf.hex(20).describe('Address that its stake is paid back to, 0x and 40 hex digits.'),
    balance: Leaf.gwei().describe('Balance, from which its bids are paid, in Gwei.'),
    depositEpoch: Leaf.count().describe('Epoch of its deposit; it bids once that epoch is final.'),
    withdrawableEpoch: Leaf.count()
      .nullable()
      .describe('Epoch from which its balance is paid back; null unless it has left.'),
    bidCount: ofBids('Blocks with its bid'),
    fullCount: ofBids('Blocks whose payload is on the chain'),
    withheldCount: ofBids('Blocks whose payload is not on the chain'),
    paidCount: ofBids('Bids that were paid, also those of withheld payloads'),
    sumBidValue: summed('Its bids'),
    sumFullValue: summed('Its bids in blocks whose payload is on the chain'),
    sumWithheldValue: summed('Its bids in blocks whose payload is not on the chain'),
    sumPaidValue: summed('Its bids that were paid'),
  })
  .meta({ id: 'Builder', description: 'A builder of payloads, and its bids in final blocks.' });
export type Builder = z.infer<typeof Builder>;
export const builderFields = Object.keys(Builder.shape) as (keyof Builder)[];

/** In lower case, with 0x; null if none is given. */
export function readAddress(given: string | null | undefined, at: readonly string[]): string | null {
  if (given == null) return null;
  const digits = /^(?:0x)?([0-9a-f]{40})$/i.exec(given)?.[1];
  if (digits !== undefined) return `0x${digits.toLowerCase()}`;
  const msg = `${at.join('.')} is ${quoted(given)}; 40 hex digits are needed, with or without 0x.`;
  throw badInput([{ loc: ['argument', ...at], msg, type: 'value_error' }]);
}
