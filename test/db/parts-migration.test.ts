import { expect, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase } from '../support/gateway.ts';
import { migrateAnewTo } from '../support/migrations.ts';
import { slow } from '../support/thorough.ts';

slow('migration 0052 moves attestations by day and history of operators into parts by month', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  await migrateAnewTo(database, '0051');
  const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
  const days = `select utc, date, (date - '2020-12-01') as day from unnest('{t,f}'::boolean[]) utc,
    unnest('{2023-12-31,2024-01-01,2024-01-31,2024-02-01,2025-11-30}'::date[]) date`;
  await run(`select attestation_parts(array(select date from (${days}) d), false)`);
  await run(`insert into attestation_days (entity_key, utc, day, date, validator_count, total_unique_attestations,
      sum_missed_attestations, sum_correct_head, sum_correct_target, sum_correct_source, sum_wrong_head_votes,
      sum_wrong_target_votes, sum_late_target_votes, sum_late_source_votes, avg_attester_effectiveness,
      sum_inclusion_delay, sum_end_epoch_balance, sum_end_epoch_effective_balance, start_epoch, end_epoch)
    select e, utc, day, date, e, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99.5, 10, 11, 12, day * 225, day * 225 + 224
    from (${days}) d, generate_series(1, 3) e`);
  await run(`insert into operator_history (date, series, avg_validator_effectiveness, validator_count)
    select date, s, s / 3.0, s from (${days}) d, generate_series(1, 4) s where utc`);
  const contents = () =>
    Promise.all(
      ['attestation_days', 'operator_history'].map((table) =>
        run(`select t.*::text from ${table} t order by 1`),
      ),
    );
  const before = await contents();
  await migrate(database.url);
  expect(await contents()).toEqual(before);
  const parts = await run(`select inhrelid::regclass::text as part from pg_inherits
    where inhparent in ('attestation_days'::regclass, 'operator_history'::regclass) order by 1`);
  const months = ['2023_12', '2024_01', '2024_02', '2025_11'];
  expect(parts.map(({ part }) => part)).toEqual(
    ['attestation_days', 'operator_history'].flatMap((table) => months.map((month) => `${table}_${month}`)),
  );
  const indexes = `select indexrelid::regclass::text as name from pg_index
    where indrelid in ('attestation_days'::regclass, 'operator_history'::regclass) and indisvalid order by 1`;
  expect((await run(indexes)).map(({ name }) => name)).toEqual([
    'attestation_days_date',
    'attestation_days_pkey',
    'operator_history_pkey',
  ]);
});

slow('migration 0061 moves history of stake authorities into parts by month', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  await migrateAnewTo(database, '0060');
  const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
  await run(`insert into stake_authority_history (date, series, as_of_epoch, aggregate_validator_effectiveness,
      delegator_apy, network_penetration, delegated_stake)
    select date, s, 700, 0.980, 0.07, s / 1000.0, s + 0.50
    from unnest('{2023-12-31,2024-01-01,2024-01-31,2024-02-01}'::date[]) date, generate_series(1, 4) s`);
  const contents = () => run('select h.*::text from stake_authority_history h order by 1');
  const before = await contents();
  await migrate(database.url);
  expect(await contents()).toEqual(before);
  const parts = await run(`select inhrelid::regclass::text as part from pg_inherits
    where inhparent = 'stake_authority_history'::regclass order by 1`);
  // Versions before it write this month and the next two.
  const soon = await run(
    `select to_char(now() + n * interval '1 month', 'YYYY_MM') as month from generate_series(0, 2) n`,
  );
  expect(parts.map(({ part }) => String(part).replace('stake_authority_history_', ''))).toEqual([
    ...['2023_12', '2024_01', '2024_02'],
    ...soon.map(({ month }) => month),
  ]);
  const indexes = `select indexrelid::regclass::text as name from pg_index
    where indrelid = 'stake_authority_history'::regclass and indisvalid`;
  expect(await run(indexes)).toEqual([{ name: 'stake_authority_history_pkey' }]);
});

slow('migration 0062 moves epochs of stake authorities into parts of 15 epochs', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  await migrateAnewTo(database, '0061');
  const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
  await run(`insert into solana_stake_authority_epochs
    select epoch, 'A' || a, 'V', null, a + 0.50, 1, 2, 3, 4.000
    from unnest('{0,14,15,700}'::int[]) epoch, generate_series(1, 4) a`);
  const contents = () => run('select a.*::text from solana_stake_authority_epochs a order by 1');
  const before = await contents();
  await migrate(database.url);
  expect(await contents()).toEqual(before);
  const parts = await run(`select inhrelid::regclass::text as part, pg_get_expr(relpartbound, oid) as bound
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'solana_stake_authority_epochs'::regclass order by oid`);
  // Versions before it write the newest span and the next two.
  expect(parts).toEqual(
    [0, 15, 690, 705, 720].map((first) => ({
      part: `solana_stake_authority_epochs_${first}`,
      bound: `FOR VALUES FROM (${first}) TO (${first + 15})`,
    })),
  );
  expect(await run('select first_epoch as first, due from solana_epoch_spans order by 1')).toEqual(
    [0, 15, 690].map((first) => ({ first, due: true })),
  );
  const indexes = `select indexrelid::regclass::text as name from pg_index
    where indrelid = 'solana_stake_authority_epochs'::regclass and indisvalid`;
  expect(await run(indexes)).toEqual([{ name: 'solana_stake_authority_epochs_pkey' }]);
});
