import { withdrawalAddress } from './attestations.ts';
import type { BlockResult } from './blocks.ts';
import { split } from './calendar.ts';
import { bidRow, builderRows, isFull, isGloas } from './payloads.ts';
import type { Row, Run } from './run.ts';

const network = 'hoodi';
const epochOrNull = (epoch: number) => (epoch === Infinity ? null : epoch);

export const validators = (run: Run): Row[] =>
  run.registry.map((record, validatorIndex) => ({
    ...{ network, validatorIndex, validatorPubkey: record.pubkey },
    ...{ depositAddress: null, withdrawalAddress: withdrawalAddress(record), nodeOperator: null, pool: null },
    activationEpoch: epochOrNull(record.activationEpoch),
    exitEpoch: epochOrNull(record.exitEpoch),
    slashed: record.slashed,
  }));

/** What only an execution node or a relay knows. */
const unknown = {
  ...{ totalSanctionedTransactions: null, totalType0TxFees: null, totalType1TxFees: null },
  ...{ totalType2TxFees: null, totalPriorityFees: null, totalPriorityFeesValidator: null, baselineMev: null },
  ...{ executionRewards: null, missedExecutionRewards: null, totalRewards: null, totalRewardsMissed: null },
  ...{ relays: null, blockBuilderPubkeys: null },
};

const withoutBlock = {
  ...{ consensusBlockRoot: null, executionBlockNumber: null, executionBlockHash: null, feeRecipient: null },
  ...{ totalTransactions: null, totalType0Transactions: null, totalType1Transactions: null },
  ...{ totalType2Transactions: null, totalGasUsed: null, baseFeePerGas: null, totalBurntFees: null },
};

/** The payload of a block, if the chain has it. */
function payloadIn(run: Run, { block, slot }: BlockResult): any {
  if (!isGloas(run.recording, slot)) return block?.message.body.execution_payload;
  return isFull(run.recording, slot) ? block?.payload : undefined;
}

/** Since Gloas, a beacon node reports all about the bid, but not the fees that users paid. */
function ofBid(run: Run, { block, slot }: BlockResult) {
  const [nothing, empty] = [null, { priorityFees: 0, mev: 0 }];
  const none = {
    ...{ payloadStatus: null, bidValue: null, bidBuilderIndex: null, bidBuilderPubkey: null },
    ...{ bidExecutionPayment: null, bidFeeRecipient: null, bidPayment: null },
  };
  if (!block || !isGloas(run.recording, slot)) return none;
  const { payload, builder, value, executionPayment, feeRecipient, payment } = bidRow(run.recording, slot);
  const paid = payment === 'settled' || payment === 'quorum';
  const earned = builder ? (paid ? value : 0n) : payload === 'empty' ? 0n : nothing;
  return {
    ...{ payloadStatus: payload, bidValue: value, bidFeeRecipient: feeRecipient, bidPayment: payment },
    ...{ bidBuilderIndex: builder?.index ?? null, bidBuilderPubkey: builder?.pubkey ?? null },
    bidExecutionPayment: executionPayment,
    totalBurntFees: null,
    executionRewards: earned,
    missedExecutionRewards: builder ? value - (earned as bigint) : payload === 'full' ? 0n : nothing,
    totalPriorityFeesValidator: payload === 'empty' ? empty.priorityFees : nothing,
    baselineMev: payload === 'empty' ? earned : nothing,
    ...(builder && { relays: '{}', blockBuilderPubkeys: '{}' }),
  };
}

/** Sums of the rewards of both layers, where both are known. */
function withTotals<T extends Row>(row: T): T {
  const sum = (...parts: unknown[]) =>
    parts.some((part) => part === null)
      ? null
      : parts.reduce((all: bigint, part) => all + BigInt(part as bigint), 0n);
  return {
    ...row,
    totalRewards: sum(row.executionRewards, row.consensusRewards),
    totalRewardsMissed: sum(row.missedExecutionRewards, row.missedConsensusRewards),
  };
}

function contents(run: Run, result: BlockResult) {
  const { block } = result;
  const payload = payloadIn(run, result);
  if (!block) return withoutBlock;
  if (!payload) return { ...withoutBlock, consensusBlockRoot: block.root };
  const ofType = (test: (first: number) => boolean) =>
    payload.transactions.filter((bytes: string) => test(Number(bytes.slice(0, 4)))).length;
  return {
    consensusBlockRoot: block.root,
    executionBlockNumber: Number(payload.block_number),
    executionBlockHash: payload.block_hash,
    feeRecipient: payload.fee_recipient.toLowerCase(),
    totalTransactions: payload.transactions.length,
    totalType0Transactions: ofType((first) => first >= 0xc0),
    totalType1Transactions: ofType((first) => first === 1),
    totalType2Transactions: ofType((first) => first === 2),
    totalGasUsed: Number(payload.gas_used),
    baseFeePerGas: payload.base_fee_per_gas,
    totalBurntFees: BigInt(payload.gas_used) * BigInt(payload.base_fee_per_gas),
  };
}

const allBlocks = (run: Run) => run.epochs.flatMap((epoch) => run.result(epoch).blocks);

export const blocks = (run: Run): Row[] =>
  allBlocks(run)
    .map((result) => ({
      ...{ network, slot: result.slot, validatorIndex: result.proposer },
      consensusProposerDuty: result.block ? 'proposed' : 'missed',
      executionProposerDuty: payloadIn(run, result) ? 'proposed' : 'missed',
      ...contents(run, result),
      ...unknown,
      consensusRewards: result.rewards,
      missedConsensusRewards: result.block ? 0 : null,
      ...ofBid(run, result),
    }))
    .map(withTotals);

/** One row a key: with the totals of its bids, as it was last; of one whose index was given again, nothing is left. */
export function builders(run: Run): Row[] {
  const rows = new Map<string, any>();
  const kinds = { bids: 'Bid', full: 'Full', withheld: 'Withheld', paid: 'Paid' } as const;
  for (const epoch of run.epochs) {
    const now = builderRows(run.recording, epoch);
    for (const row of rows.values()) if (!now.some(({ pubkey }) => pubkey === row.pubkey)) row.balance = 0;
    for (const {
      index,
      pubkey,
      executionAddress,
      balance,
      depositEpoch,
      withdrawableEpoch,
      ...sums
    } of now) {
      const row = rows.get(pubkey) ?? {};
      rows.set(pubkey, row);
      Object.assign(row, { network, index, pubkey, executionAddress, balance, depositEpoch });
      row.withdrawableEpoch = epochOrNull(withdrawableEpoch);
      for (const [kind, name] of Object.entries(kinds)) {
        const { count, value } = sums[kind as keyof typeof kinds];
        row[`${name[0]?.toLowerCase()}${name.slice(1)}Count`] =
          (row[`${name[0]?.toLowerCase()}${name.slice(1)}Count`] ?? 0) + count;
        row[`sum${name}Value`] = (row[`sum${name}Value`] ?? 0n) + value;
      }
    }
  }
  return [...rows.values()];
}

/** The seats of each block, by their place in the slot's list; millions of rows, so one slot at a time. */
export function* syncCommitteeRewards(run: Run): Generator<{ slot: number; rows: Row[] }> {
  for (const { slot, seats } of allBlocks(run)) {
    const ordered = seats.toSorted((a, b) => a.validator - b.validator || a.position - b.position);
    const rows = ordered.map(({ validator, position, reward }, rank) => ({
      ...{ network, slot, validatorIndex: validator, reward, position, rank },
    }));
    if (rows.length > 0) yield { slot, rows };
  }
}

/** Balances of the validators as of the end of the last closed epoch. */
export const slashings = (run: Run): Row[] =>
  run.epochs.flatMap((slashingEpoch) =>
    run
      .result(slashingEpoch)
      .blocks.flatMap(({ slashed }) => slashed)
      .map(({ validator, balanceBefore }) => {
        const balance = run.state(run.to + 1).balances[validator] as bigint;
        return {
          ...{ network, validatorIndex: validator, validatorPubkey: run.registry[validator]?.pubkey },
          ...{ slashingEpoch, withdrawableEpoch: run.registry[validator]?.withdrawableEpoch },
          ...{ balanceBeforeSlashing: balanceBefore, balanceBeforeWithdrawal: balance },
          slashingPenalties: balanceBefore - balance,
        };
      }),
  );

export const consolidations = (run: Run): Row[] =>
  run.epochs.flatMap((epoch) =>
    run.result(epoch).end.consolidations.map(({ source, target, amount }) => ({
      ...{ network, sourceIndex: source, sourcePubkey: run.registry[source]?.pubkey },
      ...{ targetIndex: target, targetPubkey: run.registry[target]?.pubkey },
      ...{ epoch, consolidatedBalance: amount },
    })),
  );

export const chainBalances = (run: Run): Row[] =>
  run.epochs.map((epoch) => ({ network, epoch, totalActiveBalance: run.result(epoch).terms.total }));

/** What all validators got in an epoch, less all penalties. */
function earned(run: Run, epoch: number): bigint {
  const { blocks: ofEpoch, end } = run.result(epoch);
  const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((all, amount) => all + amount, 0n);
  return (
    sum(run.result(epoch + 1).end.rewards.values()) +
    sum(ofEpoch.map(({ rewards }) => rewards)) +
    sum(ofEpoch.flatMap(({ seats }) => seats.map(({ reward }) => reward))) -
    sum(ofEpoch.flatMap(({ slashed }) => slashed.map(({ penalty }) => penalty))) -
    sum(end.correlation.values())
  );
}

/** Of whole chain days. */
export function chainDailyRewards(run: Run): Row[] {
  const days = [...split(run.epochs, (epoch) => run.days.day('chain', epoch))];
  return days
    .filter(([, epochs]) => epochs.length === 225)
    .map(([day, epochs]) => ({
      ...{ network, day },
      sumConsensusRewards: epochs.reduce((sum, epoch) => sum + earned(run, epoch), 0n),
      ...{ sumExecutionRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
      sumEffectiveBalance: run.result(epochs.at(-1) as number).terms.total,
      effectiveBalanceEpochs: epochs.reduce((sum, epoch) => sum + run.result(epoch).terms.total, 0n),
    }));
}
