import { createHash } from 'node:crypto';

/** 0x and hex digits that follow from the text. */
export const hexOf = (text: string, bytes: number): string => {
  const digits = [0, 1].map((part) => createHash('sha512').update(`${text} ${part}`).digest('hex')).join('');
  return `0x${digits.slice(0, bytes * 2)}`;
};
export const quantity = (value: bigint | number) => `0x${value.toString(16)}`;

export type MadeTransaction = {
  type: number;
  from: string;
  to: string | null;
  value: bigint;
  gasUsed: bigint;
  /** Above the base fee. */
  tip: bigint;
  fails?: boolean;
};

/** An execution block and its slot; everything else that both chains tell of it follows. */
export type MadeBlock = {
  slot: number;
  number: number;
  hash: string;
  feeRecipient: string;
  baseFee: bigint;
  transactions: MadeTransaction[];
  /** Since Amsterdam, the gas of the header is not that of the receipts. */
  headerGas?: bigint;
};

export const gasUsedIn = ({ transactions }: MadeBlock): bigint =>
  transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
export const headerGasOf = (block: MadeBlock): bigint => block.headerGas ?? gasUsedIn(block);
export const tipsIn = ({ transactions }: MadeBlock, type?: number): bigint =>
  transactions.reduce(
    (sum, one) => sum + (type === undefined || one.type === type ? one.tip * one.gasUsed : 0n),
    0n,
  );

export const transfer = (change: Partial<MadeTransaction> = {}): MadeTransaction => ({
  type: 2,
  from: hexOf('sender', 20),
  to: hexOf('receiver', 20),
  value: 10n ** 18n,
  gasUsed: 21_000n,
  tip: 1_500_000_007n,
  ...change,
});

export const madeBlock = (slot: number, change: Partial<MadeBlock> = {}): MadeBlock => ({
  slot,
  number: slot - 100,
  hash: hexOf(`execution block of ${slot}`, 32),
  feeRecipient: hexOf('proposer', 20),
  baseFee: 7_413_818_806n,
  transactions: [
    transfer({ type: 0 }),
    transfer(),
    transfer({ type: 1, tip: 3n }),
    transfer({ type: 3, tip: 11n }),
  ],
  ...change,
});

/** `at` is the block that has the log. */
export type MadeDeposit = { index: number; at: number; pubkey: string; credentials: string; from: string };

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const padded = (hex: string) => hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');

/** DepositEvent(bytes,bytes,bytes,bytes,bytes), as the contract encodes it. */
export function depositData({ pubkey, credentials, index }: MadeDeposit): string {
  const littleEndian = Buffer.alloc(8);
  littleEndian.writeBigUInt64LE(BigInt(index));
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(32_000_000_000n);
  const parts = [
    pubkey.slice(2),
    credentials.slice(2),
    amount.toString('hex'),
    hexOf(`signature ${index}`, 96).slice(2),
    littleEndian.toString('hex'),
  ];
  let at = parts.length * 32;
  const heads = parts.map((part) => {
    const head = word(at);
    at += 32 + padded(part).length / 2;
    return head;
  });
  return `0x${heads.join('')}${parts.map((part) => word(part.length / 2) + padded(part)).join('')}`;
}
