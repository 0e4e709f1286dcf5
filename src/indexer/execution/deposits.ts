import { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import { address, hash, listOf, quantity } from '../answers/leaves.ts';
import { concurrently, isOutage, SourceError } from '../answers/source.ts';
import { DEPOSIT_TOPIC, type Deposit, DepositLog, depositOf } from './deposit-log.ts';
import {
  applyWaiting,
  indexedEpoch,
  knownDepositors,
  type ScanPosition,
  scanOf,
  writeDeposits,
} from './deposit-store.ts';
import { hexOf, type Rpc } from './rpc.ts';

export type DepositOptions = {
  rpc: Rpc;
  pool: Pool;
  network: Network;
  /** In lower case. */
  contract: string;
  concurrency: number;
};

const FIRST_RANGE = 10_000;
const MAX_RANGE = 100_000;
/** Deposits per transaction. */
const MAX_DEPOSITS = 20_000;
const GAP_WAIT_MS = 3_600_000;

const Finalized = z.object({ number: quantity.transform(Number) });
const Sent = z.object({ hash, from: address });

export function openDeposits({ rpc, pool, network, contract, concurrency }: DepositOptions) {
  let range = FIRST_RANGE;
  let grows = true;
  let againFrom = 0;
  let applied: number | null | undefined;

  async function logsOf(from: number, to: number): Promise<Deposit[]> {
    const filter = { address: contract, topics: [DEPOSIT_TOPIC], fromBlock: hexOf(from), toBlock: hexOf(to) };
    const logs = await rpc.call('eth_getLogs', [filter], listOf(DepositLog));
    const wrong = (message: string) => new SourceError('nonsense', rpc.name, `eth_getLogs: ${message}`);
    return logs.map((log) => {
      if (log.address !== contract || log.topics[0] !== DEPOSIT_TOPIC || log.removed)
        throw wrong('a log that was not asked for');
      if (log.blockNumber < from || log.blockNumber > to) throw wrong(`a log of block ${log.blockNumber}`);
      const deposit = depositOf(log);
      if (!deposit) throw wrong(`a log of block ${log.blockNumber} is not a DepositEvent`);
      return deposit;
    });
  }

  /** The contract numbers its deposits, so a gap means missing logs. */
  function checkNumbers(deposits: readonly Deposit[], next: number, from: number): void {
    for (const [place, { index }] of deposits.entries()) {
      if (index === next + place) continue;
      throw new SourceError(
        'missing',
        rpc.name,
        `deposit ${next + place} is not in the logs from block ${from} on (deposit ${index} is); the node may have pruned them: deposit addresses need one that keeps all receipts.`,
      );
    }
  }

  async function senders(deposits: readonly Deposit[]): Promise<Map<string, string>> {
    const transactions = [...new Set(deposits.map(({ transaction }) => transaction))];
    const sent = await concurrently(transactions, concurrency, async (transaction) => {
      const { hash: found, from } = await rpc.call('eth_getTransactionByHash', [transaction], Sent);
      if (found !== transaction)
        throw new SourceError('mismatch', rpc.name, `${transaction} is another transaction`);
      return from;
    });
    return new Map(transactions.map((transaction, place) => [transaction, sent[place] as string]));
  }

  async function readRange(scan: ScanPosition, last: number): Promise<{ deposits: Deposit[]; to: number }> {
    for (;;) {
      const to = Math.min(last, scan.nextBlock + range - 1);
      try {
        const deposits = await logsOf(scan.nextBlock, to);
        deposits.sort((a, b) => a.index - b.index);
        if (deposits.length > MAX_DEPOSITS && to > scan.nextBlock)
          throw new SourceError('refused', rpc.name, `${deposits.length} deposits at once`);
        checkNumbers(deposits, scan.nextDeposit, scan.nextBlock);
        range = Math.min(MAX_RANGE, Math.ceil(range * (grows ? 2 : 1.1)));
        return { deposits, to };
      } catch (error) {
        const outage = error instanceof SourceError && isOutage(error) && error.reason !== 'slow';
        if (!(error instanceof SourceError) || outage) throw error;
        if (to === scan.nextBlock) {
          // Ranges that seemed empty may lack logs, so they are read again.
          if (error.reason === 'missing' && scan.emptyFrom < scan.nextBlock) {
            await writeDeposits(pool, { network, contract }, { ...scan, nextBlock: scan.emptyFrom }, []);
            againFrom = Date.now() + GAP_WAIT_MS;
          }
          throw error;
        }
        range = Math.max(1, Math.floor((to - scan.nextBlock + 1) / 2));
        grows = false;
      }
    }
  }

  async function giveWaiting(): Promise<void> {
    const epoch = await indexedEpoch(pool, network);
    if (epoch === applied) return;
    await applyWaiting(pool, network);
    applied = epoch;
  }

  return {
    async step(): Promise<boolean> {
      if (Date.now() < againFrom) return false;
      const scan = await scanOf(pool, network, contract);
      const { number: last } = await rpc.call('eth_getBlockByNumber', ['finalized', false], Finalized);
      if (scan.nextBlock > last) {
        await giveWaiting();
        return false;
      }
      const { deposits, to } = await readRange(scan, last);
      const known = await knownDepositors(
        pool,
        network,
        deposits.map(({ pubkey }) => pubkey),
      );
      const unknown = deposits.filter(({ pubkey }) => !known.has(pubkey));
      const from = await senders(unknown);
      await writeDeposits(
        pool,
        { network, contract },
        {
          nextBlock: to + 1,
          nextDeposit: scan.nextDeposit + deposits.length,
          emptyFrom: deposits.length > 0 ? to + 1 : scan.emptyFrom,
        },
        unknown.map((deposit) => ({ ...deposit, depositor: from.get(deposit.transaction) as string })),
      );
      if (to === last) await giveWaiting();
      return to < last;
    },
  };
}
