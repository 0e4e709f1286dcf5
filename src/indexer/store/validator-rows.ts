import type pg from 'pg';
import { dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { type BinaryRows, copyRows, daysOfDate } from './binary-copy.ts';
import type { Period } from './periods.ts';
import { ETH } from './reward-table.ts';
import type { Sums } from './sums.ts';

/** Balances after the last epoch of the sums. */
export type EndBalances = { balances: Float64Array; effectiveBalances: Float64Array };

const columns = [
  ...['network', 'validator_index', 'utc', 'day', 'date', 'start_epoch', 'end_epoch'],
  ...['sum_missed_sync_signatures', 'sum_sync_signature_count'],
  ...['total_unique_attestations', 'sum_missed_attestations'],
  ...['sum_correct_head', 'sum_correct_target', 'sum_correct_source'],
  ...['sum_wrong_head_votes', 'sum_wrong_target_votes', 'sum_late_target_votes', 'sum_late_source_votes'],
  ...['sum_inclusion_delay', 'proposed_count', 'missed_proposal_count'],
  ...['end_epoch_balance', 'end_epoch_effective_balance', 'sum_attestation_rewards'],
  ...['sum_sync_committee_rewards', 'sum_proposer_rewards', 'sum_priority_fees', 'sum_baseline_mev'],
  ...['effective_balance_epochs', 'empty_payload_count'],
];

export function copyValidatorRows(
  client: pg.ClientBase,
  table: string,
  { network, utc, day }: Pick<Period, 'utc' | 'day'> & { network: Network },
  sums: Sums,
  at: EndBalances,
): Promise<number> {
  const name = Buffer.from(network);
  const date = daysOfDate(dateOfDay(network, day));
  const fill = (rows: BinaryRows, v: number) => {
    const duties = sums.duties[v] as number;
    const seats = sums.seats.get(v);
    if (duties === 0 && !seats) return;
    const end = duties > 0 ? sums.first + (sums.upto[v] as number) : (seats?.last as number);
    rows.row(columns.length);
    rows.bytes(name);
    rows.integer(v);
    rows.boolean(utc);
    rows.integer(day);
    rows.integer(date);
    rows.integer(duties > 0 ? sums.first + (sums.from[v] as number) : (seats?.first as number));
    rows.integer(end);
    if (seats) {
      rows.integer(seats.missed);
      rows.integer(seats.set);
    } else {
      rows.nothing();
      rows.nothing();
    }
    fillVotes(rows, sums, v);
    fillAmounts(rows, sums, v, balanceAt(sums, at, v, end));
  };
  return copyRows(client, `${table} (${columns.join(', ')})`, sums.size, fill);
}

function fillVotes(rows: BinaryRows, sums: Sums, v: number): void {
  const included = sums.included[v] as number;
  rows.smallint(included);
  rows.smallint((sums.duties[v] as number) - included);
  rows.smallint(sums.head[v] as number);
  rows.smallint(sums.target[v] as number);
  rows.smallint(sums.source[v] as number);
  rows.smallint(sums.wrongHead[v] as number);
  rows.smallint(sums.wrongTarget[v] as number);
  rows.smallint(sums.lateTarget[v] as number);
  rows.smallint(sums.lateSource[v] as number);
  rows.smallint(sums.delay[v] as number);
}

function fillAmounts(
  rows: BinaryRows,
  sums: Sums,
  v: number,
  end: { balance: number; effective: number },
): void {
  const proposer = sums.proposers.get(v);
  rows.smallint(proposer?.proposed ?? 0);
  rows.smallint(proposer?.missed ?? 0);
  rows.bigint(end.balance);
  rows.bigint(end.effective);
  rows.bigint(sums.rewards[v] as number);
  rows.bigint(sums.seats.get(v)?.rewards ?? 0);
  rows.bigint(proposer?.rewards ?? 0);
  rows.bigint(0);
  rows.bigint(0);
  rows.bigint((sums.ethEpochs[v] as number) * ETH);
  if (sums.emptyPayloads) rows.smallint(sums.emptyPayloads.get(v) ?? 0);
  else rows.nothing();
}

function balanceAt(sums: Sums, { balances, effectiveBalances }: EndBalances, v: number, end: number) {
  if (end === sums.last) return { balance: balances[v] as number, effective: effectiveBalances[v] as number };
  const found = sums.ends.get(`${v} ${end}`);
  if (!found) throw new Error(`The balance of validator ${v} after epoch ${end} is not kept.`);
  return found;
}
