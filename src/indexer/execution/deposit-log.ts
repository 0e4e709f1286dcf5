import { z } from 'zod';
import { address, bytes, hash, quantity } from '../answers/leaves.ts';

/** keccak256 of DepositEvent(bytes,bytes,bytes,bytes,bytes). */
export const DEPOSIT_TOPIC = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5';

export const DepositLog = z.object({
  address,
  topics: z.array(hash),
  data: bytes,
  blockNumber: quantity.transform(Number),
  transactionHash: hash,
  removed: z.boolean().optional(),
});
export type DepositLog = z.infer<typeof DepositLog>;

export type Deposit = {
  pubkey: string;
  /** Null for BLS credentials. */
  withdrawalAddress: string | null;
  index: number;
  block: number;
  transaction: string;
};

/** Bytes of pubkey, withdrawal_credentials, amount, signature and index. */
const lengths = [48, 32, 8, 96, 8] as const;

export function depositOf(log: DepositLog): Deposit | undefined {
  const data = Buffer.from(log.data.slice(2), 'hex');
  const word = (at: number) => {
    if (at + 32 > data.length) return Number.NaN;
    const value = BigInt(`0x${data.toString('hex', at, at + 32)}`);
    return value < BigInt(data.length) ? Number(value) : Number.NaN;
  };
  const parts: Buffer[] = [];
  for (const [place, length] of lengths.entries()) {
    const at = word(place * 32);
    if (Number.isNaN(at) || word(at) !== length || at + 32 + length > data.length) return undefined;
    parts.push(data.subarray(at + 32, at + 32 + length));
  }
  const [pubkey, credentials, , , index] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer];
  const hasAddress = credentials[0] === 1 || credentials[0] === 2;
  return {
    pubkey: `0x${pubkey.toString('hex')}`,
    withdrawalAddress: hasAddress ? `0x${credentials.toString('hex', 12)}` : null,
    index: Number(index.readBigUInt64LE()),
    block: log.blockNumber,
    transaction: log.transactionHash,
  };
}
