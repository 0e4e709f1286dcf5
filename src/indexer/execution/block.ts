import { z } from 'zod';
import { address, hash, listOf, quantity } from '../answers/leaves.ts';
import { SourceError } from '../answers/source.ts';
import type { Payload } from '../relays/client.ts';
import { type ExecutionBlock, GWEI, type LastTransaction } from './figures.ts';
import { hexOf, type Rpc } from './rpc.ts';

/** Values from the beacon block. */
export type StoredBlock = {
  slot: number;
  number: number;
  hash: string;
  feeRecipient: string;
  gasUsed: number;
  /** In wei. */
  baseFee: string;
  transactions: number;
  type0: number;
  type1: number;
  type2: number;
  /** Since Gloas, users pay for another amount of gas than that of the header. */
  isGloas: boolean;
  /** Of a builder. `paid` is in Gwei. */
  bid: { paid: string; feeRecipient: string } | null;
};

const Header = z.object({
  hash,
  number: quantity,
  miner: address,
  gasUsed: quantity,
  baseFeePerGas: quantity,
  transactions: listOf(hash),
});
const Receipt = z.object({
  transactionHash: hash,
  transactionIndex: quantity,
  blockHash: hash,
  type: quantity.default(0n),
  from: address,
  to: address.nullable(),
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  status: quantity.optional(),
});
type Receipt = z.infer<typeof Receipt>;
const Sent = z.object({ hash, blockHash: hash, from: address, to: address.nullable(), value: quantity });

/** Throws SourceError `mismatch` on any difference from the beacon block. */
export async function fetchBlock(
  rpc: Rpc,
  stored: StoredBlock,
  payload: Payload | undefined,
): Promise<ExecutionBlock> {
  const at = hexOf(stored.number);
  const [header, receipts] = await Promise.all([
    rpc.call('eth_getBlockByNumber', [at, false], Header),
    // Of a block with transactions, null means that the node does not have the receipts.
    rpc.call('eth_getBlockReceipts', [at], stored.transactions === 0 ? listOf(Receipt) : z.array(Receipt)),
  ]);
  const wrong = faultOf(stored, header, receipts);
  if (wrong) {
    const block = `block ${stored.number} of slot ${stored.slot}`;
    throw new SourceError('mismatch', rpc.name, `${block}: ${wrong}`);
  }
  return {
    feeRecipient: stored.feeRecipient,
    bid: stored.bid && { paid: BigInt(stored.bid.paid) * GWEI, feeRecipient: stored.bid.feeRecipient },
    baseFee: header.baseFeePerGas,
    transactions: receipts.map(({ type, gasUsed, effectiveGasPrice }) => ({
      type: Number(type),
      gasUsed,
      gasPrice: effectiveGasPrice,
    })),
    last: await lastOf(rpc, stored, receipts.at(-1), payload),
  };
}

type Compared = [what: string, found: unknown, wanted: unknown];

function faultOf(
  stored: StoredBlock,
  header: z.infer<typeof Header>,
  receipts: readonly Receipt[],
): string | undefined {
  const baseFee = header.baseFeePerGas;
  const count = (type: bigint) => receipts.filter((receipt) => receipt.type === type).length;
  const gasOfReceipts: Compared = [
    'gas used by the receipts',
    receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    header.gasUsed,
  ];
  const compared: Compared[] = [
    ['hash', header.hash, stored.hash],
    ['number', header.number, BigInt(stored.number)],
    ['fee recipient', header.miner, stored.feeRecipient],
    ['gas used', header.gasUsed, BigInt(stored.gasUsed)],
    ['base fee', baseFee, BigInt(stored.baseFee)],
    ['number of transactions', header.transactions.length, stored.transactions],
    ['number of receipts', receipts.length, stored.transactions],
    ...(stored.isGloas ? [] : [gasOfReceipts]),
    ['number of transactions of type 0', count(0n), stored.type0],
    ['number of transactions of type 1', count(1n), stored.type1],
    ['number of transactions of type 2', count(2n), stored.type2],
  ];
  for (const [name, found, wanted] of compared)
    if (found !== wanted) return `its ${name} is ${found}, in the beacon block ${wanted}`;
  for (const [place, receipt] of receipts.entries()) {
    if (receipt.blockHash !== stored.hash) return `receipt ${place} is of another block`;
    if (receipt.transactionHash !== header.transactions[place] || receipt.transactionIndex !== BigInt(place))
      return `receipt ${place} is of another transaction`;
    if (receipt.effectiveGasPrice < baseFee) return `receipt ${place} pays less than the base fee`;
  }
  return undefined;
}

async function lastOf(
  rpc: Rpc,
  stored: StoredBlock,
  receipt: Receipt | undefined,
  payload: Payload | undefined,
): Promise<LastTransaction | undefined> {
  if (!receipt?.to || receipt.status === 0n) return undefined;
  const { from, to } = receipt;
  const { bid } = stored;
  const pays = bid
    ? to === bid.feeRecipient
    : from === stored.feeRecipient || to === payload?.proposerFeeRecipient;
  if (!pays) return undefined;
  const sent = await rpc.call('eth_getTransactionByHash', [receipt.transactionHash], Sent);
  if (sent.hash !== receipt.transactionHash || sent.blockHash !== stored.hash) {
    throw new SourceError('mismatch', rpc.name, `transaction ${receipt.transactionHash} is of another block`);
  }
  if (sent.from !== from || sent.to !== to) {
    throw new SourceError('mismatch', rpc.name, `transaction ${sent.hash} contradicts its receipt`);
  }
  return { from, to, value: sent.value, cost: receipt.gasUsed * receipt.effectiveGasPrice };
}
