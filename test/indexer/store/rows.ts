import { dateOfDay, dayOfEpoch } from '../../../src/chain/calendar.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { type EpochFacts, Vote } from '../../../src/indexer/chain/types.ts';
import { openStore, type Store } from '../../../src/indexer/store/index.ts';
import { type Made, madeFacts, madeRegistry, savedAs } from './made-facts.ts';

export const NETWORK = 'hoodi';

/** Writes epochs one after another, as one process or as a process for each. */
export async function writeEpochs(
  pool: Pool,
  made: Made,
  {
    from,
    to,
    restarts = false,
    partial = true,
  }: { from: number; to: number; restarts?: boolean; partial?: boolean },
): Promise<Store> {
  let store = openStore(pool, NETWORK);
  await store.resume();
  for (let epoch = from; epoch <= to; epoch += 1) {
    if (restarts) {
      store = openStore(pool, NETWORK);
      await store.resume();
    }
    await store.write(madeFacts(made, epoch, from), savedAs(`state ${epoch}`), madeRegistry(made), {
      partial: partial && epoch === to,
    });
  }
  return store;
}

const tables: Record<string, string> = {
  validators: 'validator_index',
  validator_days: 'utc, date, validator_index',
  validator_day_dates: 'utc, day',
  blocks: 'slot',
  sync_committee_rewards: 'slot, rank',
  slashings: 'validator_index',
  consolidations: 'source_index',
  chain_balances: 'epoch',
  chain_daily_rewards: 'day',
  index_ranges: 'first_epoch',
  index_periods: 'utc, hourly, period',
  index_late_penalties: 'validator_index, epoch',
  index_deposits: 'place',
};

/** All rows that an index writes, table by table, without keys of entities and the random versions of days. */
export async function allRows(pool: Pool): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const [table, order] of Object.entries(tables))
    rows[table] = (
      await query(pool, `select to_jsonb(t) - 'version' as row from ${table} t order by ${order}`)
    ).rows.map(({ row }) => row);
  for (const table of ['attestation_hours', 'attestation_days'])
    rows[table] = (
      await query(
        pool,
        `select to_jsonb(t) - 'entity_key' as row, network, id_type, entity_id
        from ${table} t join attestation_entities using (entity_key)
        order by utc, ${table.endsWith('hours') ? 'hour' : 'day'}, id_type, entity_id`,
      )
    ).rows;
  return rows;
}

export const query = (pool: Pool, text: string, values: unknown[] = []) => pool.query({ text, values });

/** How many connections wait for a lock of another one. */
export async function waitingLocks(pool: Pool): Promise<number> {
  const { rows } = await query(
    pool,
    `select count(distinct pid)::int as n from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`,
  );
  return rows[0]?.n as number;
}

type Day = Record<string, number | null>;

/** Days of a calendar, added up validator by validator from facts. */
export function daysOf(facts: readonly EpochFacts[], calendar: 'chain' | 'utc'): Map<string, Day> {
  const days = new Map<string, Day>();
  for (const one of facts) {
    const date = dateOfDay(NETWORK, dayOfEpoch(NETWORK, calendar, one.epoch));
    const size = one.votes.length;
    for (let v = 0; v < size; v += 1) {
      const seats = one.seats.flatMap(({ validators, rewards }) =>
        [...validators].flatMap((member, at) => (member === v ? [rewards[at] as number] : [])),
      );
      const vote = one.votes[v] as number;
      if (vote === 0 && seats.length === 0) continue;
      const key = `${date} ${v}`;
      const day = days.get(key) ?? {};
      days.set(key, day);
      const add = (name: string, value: number) => {
        day[name] = (day[name] ?? 0) + value;
      };
      const has = (bit: number) => ((vote & bit) === 0 ? 0 : 1);
      if (day.start_epoch === undefined || (vote !== 0 && !day.duties)) day.start_epoch = one.epoch;
      if (vote !== 0 || !day.duties) {
        day.end_epoch = one.epoch;
        day.end_epoch_balance = one.balances[v] as number;
      }
      add('duties', has(Vote.duty));
      add('total_unique_attestations', has(Vote.included));
      add('sum_missed_attestations', has(Vote.duty) - has(Vote.included));
      add('sum_correct_head', has(Vote.head));
      add('sum_correct_target', has(Vote.target));
      add('sum_correct_source', has(Vote.source));
      add('sum_wrong_head_votes', has(Vote.wrongHead));
      add('sum_wrong_target_votes', has(Vote.wrongTarget));
      add('sum_late_source_votes', (one.delays[v] as number) > 5 ? 1 : 0);
      add('sum_inclusion_delay', one.delays[v] as number);
      add('sum_attestation_rewards', one.rewards[v] as number);
      add('proposed_count', one.blocks.filter((b) => b.proposerIndex === v && b.block).length);
      add('missed_proposal_count', one.blocks.filter((b) => b.proposerIndex === v && !b.block).length);
      add(
        'sum_proposer_rewards',
        one.blocks.reduce((sum, b) => sum + (b.proposerIndex === v ? b.consensusRewards : 0), 0),
      );
      if (seats.length === 0) continue;
      add('sum_sync_signature_count', seats.filter((reward) => reward > 0).length);
      add('sum_missed_sync_signatures', seats.filter((reward) => reward < 0).length);
      add(
        'sum_sync_committee_rewards',
        seats.reduce((sum, reward) => sum + reward, 0),
      );
    }
  }
  return days;
}
