import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import {
  type ExecutionBlock,
  figuresOf,
  gweiText,
  receivedOf,
} from '../../../src/indexer/execution/figures.ts';
import type { Payload } from '../../../src/indexer/relays/client.ts';
import { runs } from '../../support/thorough.ts';

const BUILDER = `0x${'b1'.repeat(20)}`;
const PROPOSER = `0x${'a2'.repeat(20)}`;
const OTHER = `0x${'c3'.repeat(20)}`;
const ETH = 10n ** 18n;

const payloadOf = (value: bigint, proposerFeeRecipient = PROPOSER): Payload => ({
  relay: 'flashbots',
  slot: 1,
  blockHash: '0x',
  builderPubkey: '0x',
  proposerFeeRecipient,
  value,
});
const paying = (value: bigint, change: object = {}): ExecutionBlock => ({
  feeRecipient: BUILDER,
  bid: null,
  baseFee: 10n,
  transactions: [],
  last: { from: BUILDER, to: PROPOSER, value, cost: 210_000n },
  ...change,
});

describe('what a proposer received', () => {
  it('is all priority fees, and no MEV, where no payment ends the block', () => {
    const own = { fees: ETH, mev: 0n, agrees: true };
    expect(receivedOf(paying(0n, { last: undefined }), ETH, undefined)).toEqual(own);
    expect(
      receivedOf(paying(5n, { last: { from: OTHER, to: PROPOSER, value: 5n, cost: 1n } }), ETH, undefined),
    ).toEqual(own);
    expect(
      receivedOf(paying(5n, { last: { from: BUILDER, to: BUILDER, value: 5n, cost: 1n } }), ETH, undefined),
    ).toEqual(own);
    expect(receivedOf(paying(0n), ETH, undefined)).toEqual(own);
  });

  it('is the payment of the fee recipient in the last transaction: fees as far as they go after its gas, the rest MEV', () => {
    expect(receivedOf(paying(ETH), 3n * ETH, undefined)).toEqual({ fees: ETH, mev: 0n, agrees: true });
    expect(receivedOf(paying(ETH), ETH, undefined)).toEqual({
      fees: ETH - 210_000n,
      mev: 210_000n,
      agrees: true,
    });
    expect(receivedOf(paying(ETH), 5n, undefined)).toEqual({ fees: 0n, mev: ETH, agrees: true });
  });

  it('is the payment in the block, not the value that a relay tells, and says that they differ', () => {
    expect(receivedOf(paying(ETH), 3n * ETH, payloadOf(ETH))).toEqual({ fees: ETH, mev: 0n, agrees: true });
    expect(receivedOf(paying(ETH), 3n * ETH, payloadOf(ETH + 1n))).toEqual({
      fees: ETH,
      mev: 0n,
      agrees: false,
    });
  });

  it('is the value that a relay tells where no last transaction pays its proposer', () => {
    const unpaid = paying(9n, { last: { from: BUILDER, to: OTHER, value: 9n, cost: 0n } });
    expect(receivedOf(unpaid, ETH, payloadOf(3n * ETH))).toEqual({ fees: ETH, mev: 2n * ETH, agrees: true });
  });

  it('is all priority fees, and what the relay tells beyond them, where the proposer is the fee recipient', () => {
    const own = paying(0n, { feeRecipient: PROPOSER, last: undefined });
    expect(receivedOf(own, ETH, payloadOf(ETH + 5n))).toEqual({ fees: ETH, mev: 5n, agrees: true });
    expect(receivedOf(own, ETH, payloadOf(ETH - 5n))).toEqual({ fees: ETH, mev: 0n, agrees: false });
  });
});

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
const blocks = fc.record({
  baseFee: fc.bigInt({ min: 0n, max: 10n ** 13n }),
  transactions: fc.array(
    fc.record({
      type: fc.integer({ min: 0, max: 5 }),
      gasUsed: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
      tip: fc.bigInt({ min: 0n, max: 10n ** 13n }),
    }),
    { maxLength: 20 },
  ),
  last: fc.option(
    fc.record({
      from: fc.constantFrom(BUILDER, PROPOSER, OTHER),
      to: fc.constantFrom(BUILDER, PROPOSER, OTHER),
      value: amount,
      cost: amount,
    }),
    { nil: undefined },
  ),
  feeRecipient: fc.constantFrom(BUILDER, PROPOSER),
});
const weiOf = (gwei: string) => {
  const [whole = '', rest = ''] = gwei.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(rest.padEnd(9, '0'));
};

describe('figures of a block', () => {
  it('add up to the wei, whatever is in it', () => {
    fc.assert(
      fc.property(blocks, fc.option(amount, { nil: undefined }), ({ baseFee, ...block }, value) => {
        const transactions = block.transactions.map((one) => ({ ...one, gasPrice: baseFee + one.tip }));
        const payload = value === undefined ? undefined : payloadOf(value);
        const { figures } = figuresOf({ ...block, bid: null, baseFee, transactions }, payload);
        const sum = (types: (type: number) => boolean) =>
          block.transactions.reduce((all, one) => all + (types(one.type) ? one.tip * one.gasUsed : 0n), 0n);
        expect(BigInt(figures.total_type0_tx_fees)).toBe(sum((type) => type === 0));
        expect(BigInt(figures.total_type1_tx_fees)).toBe(sum((type) => type === 1));
        expect(BigInt(figures.total_type2_tx_fees)).toBe(sum((type) => type === 2));
        const all = weiOf(figures.total_priority_fees);
        expect(all).toBe(sum(() => true));
        const received = weiOf(figures.total_priority_fees_validator);
        expect(received <= all && received >= 0n).toBe(true);
        expect(weiOf(figures.execution_rewards)).toBe(received + weiOf(figures.baseline_mev));
      }),
      runs(2_000),
    );
  });

  it('are Gwei with every digit of the wei, and none more', () => {
    expect(
      [0n, 1n, 10n ** 9n, 34_485_815_718_763_076n, 5_000_000_000n, 1_500_000_000n].map(gweiText),
    ).toEqual(['0', '0.000000001', '1', '34485815.718763076', '5', '1.5']);
    fc.assert(
      fc.property(amount, (wei) => {
        expect(gweiText(wei)).toMatch(/^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
        expect(weiOf(gweiText(wei))).toBe(wei);
      }),
      runs(1_000),
    );
  });
});

/** Recorded responses of a live service; not part of the project. */
const recorded = fileURLToPath(new URL('../../../../shared/real/block.json', import.meta.url));
const real = existsSync(recorded) ? (parse(readFileSync(recorded, 'utf8')) as Record<string, any>) : {};

describe.skipIf(!existsSync(recorded))('a block as a live service tells it', () => {
  // The body of a skipped describe runs too.
  const wei = (field: string) => (existsSync(recorded) ? BigInt(real[field].toString()) : 0n);
  // That service computed in doubles, and cut off fractions of a Gwei.
  const double = (value: bigint) => BigInt(Number(value));
  const cut = (gwei: string) => BigInt(gwei.split('.')[0] as string);
  const fees = [wei('totalType0TxFees'), wei('totalType1TxFees'), wei('totalType2TxFees')];
  const total = fees.reduce((sum, one) => sum + one, 0n);
  const baseFee = wei('baseFeePerGas');
  /** The builder passed on what it had, with a plain transfer without a tip. */
  const cost = 21_000n * baseFee;
  const { figures } = figuresOf(
    {
      feeRecipient: BUILDER,
      bid: null,
      baseFee,
      transactions: fees.map((fee, type) => ({ type, gasUsed: 1n, gasPrice: baseFee + fee })),
      last: { from: BUILDER, to: PROPOSER, value: total - cost, cost },
    },
    undefined,
  );

  it('has the priority fees of its types as the sum, and burns the base fee of all gas', () => {
    expect(cut(figures.total_priority_fees)).toBe(wei('totalPriorityFees'));
    const burnt = wei('totalGasUsed') * baseFee;
    expect(Number(burnt)).toBe(Number(wei('totalBurntFees')));
    expect(double(burnt) - wei('totalBurntFees')).toBeLessThan(16n);
  });

  it('has a payment that leaves of the fees what its gas cost, as priority fees of the proposer and no MEV', () => {
    expect(cut(figures.total_priority_fees_validator)).toBe(wei('totalPriorityFeesValidator'));
    expect(cut(figures.baseline_mev)).toBe(wei('baselineMev'));
    expect(cut(figures.execution_rewards)).toBe(wei('executionRewards'));
    expect(cut(figures.execution_rewards) + wei('consensusRewards')).toBe(wei('totalRewards'));
  });
});
