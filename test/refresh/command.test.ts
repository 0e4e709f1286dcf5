import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, until } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { endRunning, launch, type Outcome, stakegraph, stakegraphOfEach } from '../support/process.ts';
import { slow } from '../support/thorough.ts';
import { published, refreshed, revisions } from './facts.ts';

const VALIDATORS = 4_000;
const DAYS = 12;
const only = { only: ['operators'] as const, networks: ['mainnet'] as const };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  await fill();
});
afterEach(() => endRunning());
afterAll(() => gateway.close());

const query = (text: string, values: unknown[] = []) => gateway.database.pool.query({ text, values });

/** Facts made in the database: 50 deposit addresses and five pools with as many node operators. */
async function fill() {
  await query(
    `insert into validators
    select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), '0x' || lpad(to_hex(i % 50), 40, '0'), null,
      'N' || i % 5, 'P' || i / 5 % 5, 0, null, false
    from generate_series(0, $1::int - 1) i`,
    [VALIDATORS],
  );
  await query(`select validator_day_parts(array['2025-01-01'::date])`);
  await query(
    `insert into validator_day_dates
    select 'mainnet', false, d, '2020-12-01'::date + d from generate_series(1500, 1500 + $1::int - 1) d`,
    [DAYS],
  );
  await query(
    `insert into validator_days
    select 'mainnet', i, false, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null, 225, 0, 225 - i % 7, 225, 225,
      i % 7, 0, 0, 0, 225 + (i + d) % 9, 0, 0, 32000000000, 32000000000, 2000000 + i, 0, 0, 0, 0
    from generate_series(1500, 1500 + $2::int - 1) d, generate_series(0, $1::int - 1) i`,
    [VALIDATORS, DAYS],
  );
}
/** Marks every validator's last day, and so every summary of the next refresh, with a balance. */
const generation = async (gwei: number) => {
  const last = 1_500 + DAYS - 1;
  await query(`update validator_days set end_epoch_effective_balance = $1 where day = $2`, [gwei, last]);
  await query(`update validator_day_dates set version = gen_random_uuid() where day = $1`, [last]);
};

const env = () => ({ env: { DATABASE_URL: gateway.database.url } });
const args = (...more: string[]) => ['refresh', '--networks', 'mainnet', '--only', 'operators', ...more];
const forget = () =>
  query(
    'truncate operator_summaries, operator_lists, operator_history, operator_history_days, datasets cascade',
  );

describe('readers during a refresh', () => {
  slow('are all answered, each with what was before or what is after', async () => {
    await generation(32_000_000_000);
    await refreshed(gateway, only);
    let done = false;
    const seen = new Set<number>();
    let answers = 0;
    const read = async (path: string) => {
      while (!done) {
        const { status, json } = await gateway.get(path);
        expect(status).toBe(200);
        expect(json.total).toBe(json.data.length);
        const marks = json.data.map((row: any) => row.sumEndEpochEffectiveBalance / row.validatorCount / 1e9);
        expect(new Set(marks).size, String([...new Set(marks)])).toBe(1);
        const share = json.data.reduce((sum: number, row: any) => sum + row.networkPenetration, 0);
        expect(share).toBeCloseTo(1, 12);
        seen.add(marks[0]);
        answers += 1;
      }
    };
    const windows = ['1d', '7d', 'all'].flatMap((window) =>
      ['depositAddress', 'pool', 'poolShare'].map((idType) => `window=${window}&idType=${idType}&size=200`),
    );
    const readers = windows.map((asked) => read(`/v0/eth/operators?${asked}`));
    for (const eth of [33, 34, 35, 36]) {
      await generation(eth * 1_000_000_000);
      await refreshed(gateway, only);
    }
    done = true;
    await Promise.all(readers);
    expect(answers).toBeGreaterThan(50);
    expect(seen.size).toBeGreaterThan(2);
  });
});

describe('stakegraph refresh', () => {
  slow('killed at any moment and started again, leaves what an undisturbed run does', async () => {
    await forget();
    await refreshed(gateway, only);
    const undisturbed = await published(gateway);
    await forget();
    for (const wait of [300, 600, 900, 1_300]) {
      const { child, outcome } = launch(args(), env());
      await Promise.race([sleep(wait), outcome]);
      child.kill('SIGKILL');
      await outcome;
      // whole windows or nothing of them
      const { rows } = await query(
        'select count(*)::int as rows from operator_summaries where not superseded group by time_window',
      );
      for (const window of rows) expect(window).toEqual({ rows: 50 + 5 + 5 + 25 });
    }
    expect(await stakegraph(args(), env())).toMatchObject({ code: 0, stderr: '' });
    expect(await published(gateway)).toEqual(undisturbed);
  });

  slow('publishes the same with several jobs', async () => {
    await forget();
    await refreshed(gateway, only);
    const one = await published(gateway);
    await forget();
    expect(await stakegraph(args('--jobs', '4'), env())).toMatchObject({ code: 0, stderr: '' });
    expect(await published(gateway)).toEqual(one);
  });

  slow('changes nothing and raises no revision the second time', async () => {
    expect(await stakegraph(args(), env())).toMatchObject({ code: 0, stderr: '' });
    const [rows, raised] = [await published(gateway), await revisions(gateway)];
    const { code, stdout } = await stakegraph(args('--json'), env());
    expect(code).toBe(0);
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ part, network, window, state }) => [part, network, window, state].join(' '))).toEqual(
      ['1d', '7d', '30d', 'all'].map((window) => `operators mainnet ${window} done`),
    );
    for (const { inserted, updated, removed, facts, rows: count } of told) {
      expect({ inserted, updated, removed, facts, count }).toEqual({
        inserted: 0,
        updated: 0,
        removed: 0,
        facts: VALIDATORS,
        count: 50 + 5 + 5 + 25,
      });
    }
    expect(await published(gateway)).toEqual(rows);
    expect(await revisions(gateway)).toEqual(raised);
  });

  slow('run twice at once gives what one run does, the second without a change', async () => {
    const undisturbed = await published(gateway);
    await forget();
    const runs = await Promise.all([0, 1].map(() => stakegraph(args('--json'), env())));
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const told = runs.flatMap(({ stdout }) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    for (const window of ['1d', '7d', '30d', 'all']) {
      const written = told.filter((report) => report.window === window).map((report) => report.inserted);
      expect(written.sort()).toEqual([0, 85]);
    }
    expect(await published(gateway)).toEqual(undisturbed);
    expect(await revisions(gateway)).toEqual([{ name: 'operators', revision: 4 }]);
  });

  slow('goes on with --every, passes over what another process refreshes, and ends at SIGTERM', async () => {
    const busy = await gateway.database.pool.withClient(async (client) => {
      await client.query('begin');
      await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph refresh operators mainnet 7d'))`);
      const { child, output, outcome } = launch(args('--every', '1s'), env());
      await until(() => output.stdout.split('\n').length >= 10, outcome);
      child.kill('SIGTERM');
      const ended = await outcome;
      await client.query('rollback');
      return ended;
    });
    expect(busy).toMatchObject({ code: 0, stderr: '' });
    const lines = busy.stdout.trim().split('\n');
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z operators mainnet (1d|7d|30d|all): /);
    expect(lines[1]).toContain('operators mainnet 7d: skipped, another process is refreshing it');
    expect(lines[0]).toMatch(/1d: 85 rows from 4000 facts \(0 new, 0 updated, 0 removed\) in [\d.]+ s$/);
  });

  /** Starts a command that stops within its first week of days, calls back, and lets it go on. */
  async function withinFirstWeek<T>(
    command: string[],
    work: (child: ReturnType<typeof launch>) => Promise<T>,
  ): Promise<T> {
    return gateway.database.pool.withClient(async (client) => {
      await client.query('begin');
      await client.query('select from validator_day_dates for update');
      const launched = launch(command, env());
      const blocked = `select 1 from pg_stat_activity where datname = current_database()
        and query like '/* dueDates */%' and wait_event_type = 'Lock'`;
      await eventually(async () => expect((await query(blocked)).rows).toHaveLength(1), 60_000);
      try {
        return await work(launched);
      } finally {
        await client.query('rollback');
      }
    });
  }
  const weekly = (subject: string) => ['refresh', '--networks', 'mainnet', '--only', subject, '--all-days'];

  slow(
    'tells what it wrote before another process took over between two weeks, and skips the rest',
    async () => {
      await gateway.database.pool.withClient(async (other) => {
        let taken: Promise<unknown> | undefined;
        const launched = await withinFirstWeek(
          [...weekly('attestations'), '--every', '1d'],
          async (started) => {
            taken = other.query(
              `select pg_advisory_lock(hashtext('stakegraph refresh attestations mainnet chain'))`,
            );
            const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
            await eventually(async () => expect((await query(waiting)).rows).toHaveLength(1), 60_000);
            return started;
          },
        );
        await taken;
        await until(() => launched.output.stdout.includes('utc'), launched.outcome);
        launched.child.kill('SIGTERM');
        const { stdout } = await launched.outcome;
        await other.query('select pg_advisory_unlock_all()');
        expect(stdout.split('\n')[0]).toMatch(
          /attestations mainnet chain: 602 rows of 7 days \(602 new, .*; the rest skipped, another process is refreshing it$/,
        );
      });
    },
  );

  slow('ends after the week at hand at SIGTERM, also in its last part, and says so', async () => {
    const launched = await withinFirstWeek(weekly('chain-daily-rewards'), async (started) => {
      started.child.kill('SIGTERM');
      return started;
    });
    const { code, stdout, stderr } = await launched.outcome;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'stakegraph: Stopped before everything was refreshed.\n',
    });
    expect(stdout).toMatch(/^chain-daily-rewards mainnet: \d+ rows of 7 days [^\n]*\n$/);
  });

  slow('ends at SIGTERM before the next window, and says that not everything was refreshed', async () => {
    await forget();
    const stopped = await gateway.database.pool.withClient(async (client) => {
      await client.query('begin');
      await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph refresh operators mainnet 7d'))`);
      const { child, outcome } = launch(args(), env());
      const blocked = `select 1 from pg_stat_activity where datname = current_database()
        and query like '/* lockRefresh */%' and wait_event_type = 'Lock'`;
      await until(async () => (await query(blocked)).rows.length > 0, outcome);
      child.kill('SIGTERM');
      await sleep(100);
      await client.query('rollback');
      return outcome;
    });
    expect(stopped).toMatchObject({
      code: 1,
      stderr: 'stakegraph: Stopped before everything was refreshed.\n',
    });
    expect(stopped.stdout).toBe('');
    expect((await query('select 1 from operator_summaries')).rows).toEqual([]);
  });

  slow('tells what fails, goes on with the rest, and exits with 1', async () => {
    await query(`insert into solana_epochs values (1, now() - interval '2 days', now(), 1, 1, 1, null)`);
    await query(
      `insert into solana_validator_epochs select 1, 'V', null, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0`,
    );
    await query(`select solana_epoch_parts('{1}')`);
    await query(`insert into solana_stake_authority_epochs values (1, 'A', 'W', null, 1, 0, 0, 0, 0)`);
    const { code, stderr, stdout } = await stakegraph(['refresh', '--windows', '1d,7d'], env());
    expect(code).toBe(1);
    expect(stderr).toContain('solana 1d: Stake is with validator W in epoch 1');
    expect(stderr).toContain('2 parts were not refreshed.');
    expect(stdout).toContain('operators mainnet 7d: 85 rows');
    expect(stdout).toContain('operators hoodi 7d: no facts, unchanged');
  });

  const refused: [string[], string][] = [
    [['--windows', '2d'], '"2d" is not one of 1d, 7d, 30d, all.'],
    [['--networks', 'goerli'], '"goerli" is not one of mainnet, hoodi, holesky, sepolia.'],
    [
      ['--only', 'blocks'],
      '"blocks" is not one of operators, slashings, chain-daily-rewards, attestations, solana.',
    ],
    [['--every', '0s'], 'from 1s to 7d'],
    [['--every', '1.5h'], 'from 1s to 7d'],
    [['--every', '8d'], 'from 1s to 7d'],
    [['more'], 'too many arguments'],
  ];
  let outcomes: Promise<Outcome[]> | undefined;
  it.each(refused)('refuses %j', async (wrong, message) => {
    outcomes ??= stakegraphOfEach(
      refused.map(([each]) => ['refresh', ...each]),
      env(),
    );
    const at = refused.findIndex(([each]) => each === wrong);
    const { code, stderr } = (await outcomes)[at] as Outcome;
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
