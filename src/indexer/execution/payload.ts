import { z } from 'zod';
import { address, hash, listOf, quantity } from '../answers/leaves.ts';
import { SourceError } from '../answers/source.ts';
import type { BeaconBlock, ExecutionPayload } from '../chain/types.ts';
import { BUILDER_FLAG } from '../node/scan/bytes.ts';
import type { Rpc } from './rpc.ts';

/** Without a type, as in old nodes, a transaction is legacy. */
const Transaction = z.object({ type: quantity.default(0n) });
const Withdrawal = z.object({ validatorIndex: quantity, amount: quantity });
const Block = z.object({
  ...{ hash, number: quantity, miner: address, gasUsed: quantity, baseFeePerGas: quantity },
  transactions: listOf(Transaction),
  withdrawals: listOf(Withdrawal),
});

/**
 * Since Gloas, the payload of a block, which beacon nodes keep for a limited time only. Throws SourceError `missing` if the
 * node does not have it.
 */
export async function fetchPayload(rpc: Rpc, { bid }: BeaconBlock): Promise<ExecutionPayload> {
  const wanted = bid?.blockHash;
  const block = await rpc.call('eth_getBlockByHash', [wanted, true], Block);
  if (block.hash !== wanted)
    throw new SourceError('mismatch', rpc.name, `eth_getBlockByHash: ${block.hash} in place of ${wanted}`);
  const types = block.transactions.map(({ type }) => Number(type));
  const count = (type: number) => types.filter((each) => each === type).length;
  const withdrawals = block.withdrawals.map(({ validatorIndex, amount }) => ({
    ...{ index: Number(validatorIndex), amount: Number(amount) },
  }));
  return {
    ...{ blockNumber: Number(block.number), blockHash: block.hash, feeRecipient: block.miner },
    ...{ gasUsed: Number(block.gasUsed), baseFeePerGas: String(block.baseFeePerGas) },
    transactions: { type0: count(0), type1: count(1), type2: count(2), total: types.length },
    withdrawals: withdrawals
      .filter(({ index }) => index < BUILDER_FLAG)
      .map(({ index, amount }) => ({ validatorIndex: index, amount })),
    builderWithdrawals: withdrawals
      .filter(({ index }) => index >= BUILDER_FLAG)
      .map(({ index, amount }) => ({ builder: index - BUILDER_FLAG, amount })),
  };
}
