import { AnswerError } from '../answers/error.ts';
import { integerOf, shown } from '../answers/json.ts';
import type { ExecutionPayload } from '../chain/types.ts';
import { BUILDER_FLAG, decimal, hex, listAt, MAX_INDEX, objectAt } from './scan/bytes.ts';

type Fields = Record<string, unknown>;

/** Adds a transaction by its first byte. */
export function countTransaction(counts: ExecutionPayload['transactions'], first: number): void {
  counts.total += 1;
  if (first >= 0xc0) counts.type0 += 1;
  else if (first === 1) counts.type1 += 1;
  else if (first === 2) counts.type2 += 1;
}

export function transactionsOf(payload: Fields): ExecutionPayload['transactions'] {
  const counts = { type0: 0, type1: 0, type2: 0, total: 0 };
  for (const transaction of listAt(payload.transactions, 'transactions')) {
    if (typeof transaction !== 'string' || !/^0x[0-9a-fA-F]{2}/.test(transaction))
      throw new AnswerError(`a transaction is ${shown(transaction)} in place of bytes in hex`);
    countTransaction(counts, Number.parseInt(transaction.slice(2, 4), 16));
  }
  return counts;
}

/** Reads the withdrawals of a payload, and separates those of builders. */
export function withdrawalsOf(payload: Fields): Pick<ExecutionPayload, 'withdrawals' | 'builderWithdrawals'> {
  const all = listAt(payload.withdrawals, 'withdrawals').map((item, at) => {
    const { validator_index, amount } = objectAt(item, `withdrawals[${at}]`);
    return {
      index: decimal(validator_index, 'validator_index', BUILDER_FLAG + MAX_INDEX),
      amount: decimal(amount, 'amount'),
    };
  });
  return {
    withdrawals: all
      .filter(({ index }) => index < BUILDER_FLAG)
      .map(({ index, amount }) => ({ validatorIndex: decimal(index, 'validator_index', MAX_INDEX), amount })),
    builderWithdrawals: all
      .filter(({ index }) => index >= BUILDER_FLAG)
      .map(({ index, amount }) => ({ builder: index - BUILDER_FLAG, amount })),
  };
}

/** The fields of a payload apart from its lists. */
export function payloadHeader(payload: Fields) {
  const fee = payload.base_fee_per_gas;
  const baseFee = typeof fee === 'string' && /^\d{1,78}$/.test(fee) ? fee : integerOf(fee);
  if (baseFee === undefined) throw new AnswerError(`base_fee_per_gas is ${shown(fee)} in place of a decimal`);
  return {
    blockNumber: decimal(payload.block_number, 'block_number'),
    blockHash: hex(payload.block_hash, 'block_hash', 32),
    feeRecipient: hex(payload.fee_recipient, 'fee_recipient', 20),
    gasUsed: decimal(payload.gas_used, 'gas_used'),
    baseFeePerGas: String(baseFee),
  };
}
