import { readFileSync } from 'node:fs';
import { text as allOf } from 'node:stream/consumers';
import { to as copyTo } from 'pg-copy-streams';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { importFile } from '../../src/ingest/import-file.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { useFiles } from './rows.ts';

const page = readFileSync(new URL('../../docs/import-from-goteth-or-chaind.md', import.meta.url), 'utf8');
/** The statement of the page under a name. */
const block = (name: string): string => {
  const found = new RegExp(`^\`\`\`sql ${name}\n(.+?)^\`\`\``, 'ms').exec(page);
  if (!found) throw new Error(`docs/import-from-goteth-or-chaind.md has no statement ${name}`);
  return found[1] as string;
};

const DAY = 1_500;
const FIRST = DAY * 225;
const LAST = FIRST + 224;
const SLOT = FIRST * 32;

const write = useFiles();
let database: TestDatabase;
beforeEach(async () => {
  const made = await createDatabase('empty');
  onTestFinished(() => made.drop());
  database = made;
});
const run = async (text: string) => (await database.pool.query({ text, values: [] })).rows;

/** The result of a statement as CSV. A statement other than `copy … to stdout` is wrapped in one. */
const csvOf = (statement: string): Promise<string> => {
  const copy = /^copy/.test(statement) ? statement : `copy (${statement}) to stdout csv header`;
  return transaction(database.pool, (client) => allOf(client.query(copyTo(copy))));
};
const load = async (resource: 'validator-days' | 'validators', csv: string) =>
  importFile(database.pool, resource, await write(csv, `${resource}.csv`), { network: 'mainnet' });
const days = () =>
  run(
    `select to_jsonb(d) - 'network' - 'utc' - 'date' as row from validator_days d order by validator_index`,
  ).then((rows) => rows.map(({ row }) => row));

/** A day of duties without a fault. */
const perfect = {
  day: DAY,
  start_epoch: FIRST,
  end_epoch: LAST,
  total_unique_attestations: 225,
  sum_missed_attestations: 0,
  sum_missed_sync_signatures: null,
  sum_sync_signature_count: null,
  sum_correct_head: 225,
  sum_correct_target: 225,
  sum_correct_source: 225,
  sum_wrong_head_votes: 0,
  sum_wrong_target_votes: 0,
  sum_late_target_votes: 0,
  sum_late_source_votes: 0,
  sum_inclusion_delay: 225,
  proposed_count: 0,
  missed_proposal_count: 0,
  end_epoch_effective_balance: 32_000_000_000,
  sum_sync_committee_rewards: 0,
  sum_proposer_rewards: 0,
  sum_priority_fees: 0,
  sum_baseline_mev: 0,
  effective_balance_epochs: 225 * 32_000_000_000,
  start_effective_balance: null,
  empty_payload_count: null,
};

describe('the statement for chaind', () => {
  const root = (slot: number) => `decode(lpad(to_hex(${slot}), 64, '0'), 'hex')`;
  beforeEach(async () => {
    await run(`
      create table t_validators (f_public_key bytea not null, f_index bigint not null, f_slashed boolean not null,
        f_activation_eligibility_epoch bigint, f_activation_epoch bigint, f_exit_epoch bigint, f_withdrawable_epoch bigint,
        f_effective_balance bigint not null, f_withdrawal_credentials bytea not null);
      create table t_blocks (f_slot bigint not null, f_proposer_index bigint not null, f_root bytea not null, f_canonical bool);
      create table t_sync_aggregates (f_inclusion_slot bigint not null, f_inclusion_block_root bytea not null,
        f_bits bytea not null, f_indices bigint[]);
      create table t_sync_committees (f_period bigint not null, f_committee bigint[] not null);
      create table t_deposits (f_inclusion_slot bigint not null, f_inclusion_block_root bytea not null,
        f_inclusion_index bigint not null, f_validator_pubkey bytea not null, f_withdrawal_credentials bytea not null,
        f_amount bigint not null);
      create table t_eth1_deposits (f_eth1_sender bytea not null, f_deposit_index bigint not null,
        f_validator_pubkey bytea not null, f_amount bigint not null);
      create table t_block_withdrawals (f_block_root bytea not null, f_block_number bigint not null, f_index integer not null,
        f_withdrawal_index integer not null, f_validator_index bigint not null, f_address bytea not null, f_amount bigint not null);
      create table t_validator_balances (f_validator_index bigint not null, f_epoch bigint not null, f_balance bigint not null,
        f_effective_balance bigint not null);
      create table t_validator_epoch_summaries (f_validator_index bigint not null, f_epoch bigint not null,
        f_proposer_duties integer not null, f_proposals_included integer not null, f_attestation_included bool not null,
        f_attestation_source_timely bool, f_attestation_target_correct bool, f_attestation_target_timely bool,
        f_attestation_head_correct bool, f_attestation_head_timely bool, f_attestation_inclusion_delay integer);
      insert into t_validators
      select decode(lpad(to_hex(i), 96, 'a'), 'hex'), i, i = 9, 1, 2, null, null, 32000000000,
        decode(case i when 7 then '01' when 8 then '02' else '00' end || repeat('00', 11) || repeat('cd', 20), 'hex')
      from generate_series(7, 9) i;
      insert into t_eth1_deposits values (decode(repeat('ef', 20), 'hex'), 5, decode(lpad(to_hex(7), 96, 'a'), 'hex'), 1),
        (decode(repeat('11', 20), 'hex'), 9, decode(lpad(to_hex(7), 96, 'a'), 'hex'), 1);
      insert into t_validator_epoch_summaries
      select i, e, 0, 0, true, true, true, true, true, true, 1
      from generate_series(7, 9) i, generate_series(${FIRST - 1}, ${LAST + 1}) e where i <> 8 or e >= ${FIRST + 200};
      insert into t_validator_balances
      select i, e, 32000000000 + (e - ${FIRST}) * 1000, 32000000000
      from generate_series(7, 9) i, generate_series(${FIRST}, ${LAST + 1}) e`);
  });

  it('tells duties, balances and what the consensus layer paid', async () => {
    await run(`
      update t_validator_balances set f_effective_balance = 31000000000
      where f_validator_index = 9 and f_epoch <= ${FIRST + 100}; -- chaind notes it at the start of an epoch
      update t_validator_epoch_summaries set f_proposer_duties = 2, f_proposals_included = 1
      where f_validator_index = 9 and f_epoch = ${FIRST};
      -- of 9: missed; a wrong head; a wrong target; late for all but the target
      update t_validator_epoch_summaries set f_attestation_included = false, f_attestation_source_timely = null,
        f_attestation_target_correct = null, f_attestation_target_timely = null, f_attestation_head_correct = null,
        f_attestation_head_timely = null, f_attestation_inclusion_delay = null
      where f_validator_index = 9 and f_epoch = ${FIRST + 1};
      update t_validator_epoch_summaries set f_attestation_head_correct = false, f_attestation_head_timely = false
      where f_validator_index = 9 and f_epoch in (${FIRST + 2}, ${FIRST + 3});
      update t_validator_epoch_summaries set f_attestation_target_correct = false, f_attestation_target_timely = false
      where f_validator_index = 9 and f_epoch = ${FIRST + 3};
      update t_validator_epoch_summaries set f_attestation_source_timely = false, f_attestation_head_timely = false,
        f_attestation_inclusion_delay = 7 where f_validator_index = 9 and f_epoch = ${FIRST + 4};
      insert into t_blocks select s, 1, ${root(1).replace('1)', 's)')}, s <> ${SLOT + 3} from generate_series(${SLOT}, ${SLOT + 3}) s;
      -- seats 0 and 9 are of 7: the first signs, the other does not
      insert into t_sync_committees
      select ${Math.floor(SLOT / 8192)}, array_agg(case when place in (0, 9) then 7 else 99 end order by place)
      from generate_series(0, 511) place;
      insert into t_sync_aggregates
      select f_slot, f_root, decode('01fd' || repeat('ff', 62), 'hex'), null from t_blocks;
      insert into t_block_withdrawals values (${root(SLOT)}, 1, 0, 0, 7, '', 500), (${root(SLOT + 3)}, 1, 0, 0, 7, '', 999);
      insert into t_deposits values (${SLOT}, ${root(SLOT)}, 0, decode(lpad(to_hex(9), 96, 'a'), 'hex'), '', 25)`);
    const report = await load('validator-days', await csvOf(block('chaind').replaceAll(':day', String(DAY))));
    expect(report).toMatchObject({ faults: [], inserted: 3 });
    expect(await days()).toEqual([
      {
        ...perfect,
        validator_index: 7,
        sum_missed_sync_signatures: 3,
        sum_sync_signature_count: 3,
        end_epoch_balance: 32_000_225_000,
        sum_attestation_rewards: 225_500,
      },
      {
        ...perfect,
        validator_index: 8,
        start_epoch: FIRST + 200,
        total_unique_attestations: 25,
        sum_correct_head: 25,
        sum_correct_target: 25,
        sum_correct_source: 25,
        sum_inclusion_delay: 25,
        end_epoch_balance: 32_000_225_000,
        sum_attestation_rewards: 25_000,
        effective_balance_epochs: 25 * 32_000_000_000,
      },
      {
        ...perfect,
        validator_index: 9,
        total_unique_attestations: 224,
        sum_missed_attestations: 1,
        sum_correct_head: 221,
        sum_correct_target: 223,
        sum_correct_source: 223,
        sum_wrong_head_votes: 2,
        sum_wrong_target_votes: 1,
        sum_late_target_votes: 1,
        sum_late_source_votes: 1,
        sum_inclusion_delay: 230,
        proposed_count: 1,
        missed_proposal_count: 1,
        end_epoch_balance: 32_000_225_000,
        sum_attestation_rewards: 224_975,
        effective_balance_epochs: (100 * 31 + 125 * 32) * 1_000_000_000,
      },
    ]);
  });

  it('of validators tells addresses where they are known', async () => {
    const report = await load('validators', await csvOf(block('chaind-validators')));
    expect(report).toMatchObject({ faults: [], inserted: 3 });
    expect(
      await run(`select validator_index, deposit_address, withdrawal_address, activation_epoch, exit_epoch, slashed
        from validators order by 1`),
    ).toMatchObject([
      {
        validator_index: 7,
        deposit_address: `0x${'ef'.repeat(20)}`,
        withdrawal_address: `0x${'cd'.repeat(20)}`,
      },
      {
        validator_index: 8,
        deposit_address: null,
        withdrawal_address: `0x${'cd'.repeat(20)}`,
        slashed: false,
      },
      {
        validator_index: 9,
        deposit_address: null,
        withdrawal_address: null,
        slashed: true,
        exit_epoch: null,
      },
    ]);
  });
});

/** Rows of goteth: each has the attestation of two epochs before. `more` are columns that only newer versions have. */
const gotethRows = (more: string) => `
  insert into t_validator_rewards_summary
  select i, e, 32 + (e - ${FIRST}) / 1024.0, 1000, e * 32, i = 7, false, false, false, 1 ${more}
  from generate_series(7, 8) i, generate_series(${FIRST - 2}, ${LAST + 4}) e where i = 7 or e >= ${FIRST + 202};
  update t_validator_rewards_summary set f_status = 3 where f_val_idx = 8 and f_epoch > ${LAST - 10 + 2};
  insert into t_proposer_duties values (7, ${SLOT}, true), (7, ${SLOT + 1}, false), (8, ${SLOT + 7200}, true)`;
const base = `f_val_idx bigint, f_epoch bigint, f_balance_eth real, f_reward bigint, f_att_slot bigint, f_in_sync_committee bool,
  f_missing_source bool, f_missing_target bool, f_missing_head bool, f_status smallint`;
const flags = (epoch: number, values: string) =>
  `update t_validator_rewards_summary set ${values} where f_val_idx = 7 and f_epoch = ${epoch + 2};`;

describe('the statement for goteth', () => {
  const both = `create table t_proposer_duties (f_val_idx bigint, f_proposer_slot bigint, f_proposed bool);
    create table t_validator_last_status (f_val_idx bigint, f_epoch bigint, f_balance_eth real, f_status smallint,
      f_slashed bool, f_activation_epoch numeric, f_withdrawal_epoch numeric, f_exit_epoch numeric, f_public_key text);
    create table t_eth2_pubkeys (f_val_idx bigint, f_public_key text, f_pool_name text, f_pool text)`;
  const faults = (attestation: boolean) =>
    [
      flags(
        FIRST,
        `f_missing_source = true, f_missing_target = true, f_missing_head = true
        ${attestation ? ', f_attestation_included = false, f_inclusion_delay = 0' : ''}`,
      ),
      flags(FIRST + 1, 'f_missing_head = true'),
      flags(FIRST + 2, 'f_missing_head = true, f_missing_target = true'),
      flags(
        FIRST + 3,
        `f_missing_head = true, f_missing_source = true ${attestation ? ', f_inclusion_delay = 7' : ''}`,
      ),
    ].join('\n');
  const flawed = {
    ...perfect,
    validator_index: 7,
    total_unique_attestations: 224,
    sum_missed_attestations: 1,
    sum_correct_head: 221,
    sum_correct_target: 223,
    sum_correct_source: 223,
    sum_wrong_head_votes: 2,
    sum_wrong_target_votes: 1,
    sum_late_source_votes: 1,
    proposed_count: 1,
    missed_proposal_count: 1,
    end_epoch_balance: 32_218_750_000,
  };
  const left = {
    ...perfect,
    validator_index: 8,
    start_epoch: FIRST + 200,
    end_epoch: LAST - 10,
    total_unique_attestations: 15,
    sum_correct_head: 15,
    sum_correct_target: 15,
    sum_correct_source: 15,
    sum_inclusion_delay: 15,
    sum_attestation_rewards: 15_000,
    end_epoch_balance: 32_208_984_375,
    effective_balance_epochs: null,
  };

  it('in PostgreSQL tells duties and rewards as far as they are known', async () => {
    await run(
      `${both}; create table t_validator_rewards_summary (${base}); ${gotethRows('')}; ${faults(false)}`,
    );
    const report = await load(
      'validator-days',
      await csvOf(block('goteth-postgresql').replaceAll(':day', String(DAY))),
    );
    expect(report).toMatchObject({ faults: [], inserted: 2 });
    expect(await days()).toEqual([
      {
        ...flawed,
        sum_inclusion_delay: 224,
        sum_attestation_rewards: 225_000,
        effective_balance_epochs: null,
      },
      left,
    ]);
  });

  it('in ClickHouse, but for its last line, tells them with sync duty, delays and rewards of blocks', async () => {
    await run(`${both}; create table t_block_metrics (f_epoch bigint, f_slot bigint, f_proposer_index bigint, f_proposed bool);
      create table t_validator_rewards_summary (${base}, f_effective_balance bigint, f_attestation_included bool,
        f_inclusion_delay smallint, f_sync_committee_participations_included smallint, f_block_api_reward bigint);
      ${gotethRows(`, 32000000000, true, 1, case when i = 7 then 30 else 0 end, case when i = 7 and e = ${FIRST + 2} then 400 else 0 end`)};
      ${faults(true)}
      insert into t_block_metrics select s / 32, s, 1, s % 32 > 0 from generate_series(${SLOT - 32}, ${SLOT + 7231}) s`);
    const statement = block('goteth-clickhouse')
      .replace(/^settings .*\n/m, '')
      .replaceAll('{day:UInt32}', String(DAY));
    const report = await load('validator-days', await csvOf(statement));
    expect(report).toMatchObject({ faults: [], inserted: 2 });
    expect(await days()).toEqual([
      {
        ...flawed,
        sum_inclusion_delay: 230,
        sum_attestation_rewards: 224_600,
        sum_proposer_rewards: 400,
        sum_sync_signature_count: 225 * 30,
        sum_missed_sync_signatures: 225,
      },
      left,
    ]);
  });

  it('of validators tells keys, epochs and pools', async () => {
    const key = 'ab'.repeat(48);
    await run(`${both}; insert into t_validator_last_status values (7, 9, 32, 1, false, 5, 18446744073709551615, 18446744073709551615, '0x${key}');
      insert into t_validator_last_status values (8, 9, 32, 1, true, 5, 20, 10, '${'cd'.repeat(48)}');
      insert into t_eth2_pubkeys values (7, '0x${key}', 'Pool', '')`);
    const report = await load('validators', await csvOf(block('goteth-validators')));
    expect(report).toMatchObject({ faults: [], inserted: 2 });
    expect(await run('select * from validators order by validator_index')).toMatchObject([
      {
        validator_pubkey: `0x${key}`,
        pool: 'Pool',
        activation_epoch: 5,
        exit_epoch: null,
        deposit_address: null,
      },
      { validator_pubkey: `0x${'cd'.repeat(48)}`, pool: null, exit_epoch: 10, slashed: true },
    ]);
  });
});

it('names the columns of days of validators and nothing else', () => {
  for (const name of ['chaind', 'goteth-clickhouse', 'goteth-postgresql']) {
    const columns = [...block(name).matchAll(/ as "(\w+)"/g)].map((found) => found[1]);
    expect(new Set(columns).size).toBe(26);
  }
});
