import { expect, it } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { whyNeeded } from '../../src/maintenance/retain/needed.ts';
import { completeSets, refreshSetDays, sumOlderDays } from '../../src/resources/private-sets/set-days.ts';
import { accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { storeDays } from '../support/set-days.ts';

const gateway = useGateway({ template: 'empty' });
const [VALIDATORS, DAYS] = [1_600, 90];

const indices = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const hexKey = (index: number) => `0x${String(index).padStart(96, '0')}`;

it('a set of many validators has its newest days at once, the older ones in steps, and never a day without a validator', async () => {
  const { pool } = gateway.database;
  const query = async (text: string, values: unknown[] = []) => (await pool.query({ text, values })).rows;
  await storeDays(pool, VALIDATORS, DAYS);
  await query(
    `insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
    select 'mainnet', i, '0x' || lpad(i::text, 96, '0'), 0, false from generate_series(0, $1::int - 1) i`,
    [VALIDATORS],
  );
  const account = await accountOf(gateway);
  const created = await account.post('/v1/eth/tags', { name: 'x', validators: indices(0, 1_000) });
  // The request sums 100,000 days: 50 dates of 1,000 validators in two calendars.
  expect([created.status, created.json.progress]).toEqual([
    201,
    { completeFrom: '2025-03-02', share: 0.5555 },
  ]);
  const { id } = created.json;
  /** Two processes at once. */
  const step = async () => {
    const done = await Promise.all([1, 2].map(() => transaction(pool, sumOlderDays)));
    await transaction(pool, completeSets);
    return done.includes('summed');
  };
  const shown = async () => {
    const { json } = await account.get(`/v1/eth/sets/${id}/rewards?limit=100`);
    return json.results as { date?: string }[];
  };
  const check = async (what: string) => {
    const rows = await query(
      `select d.utc, d.date::text as date, d.validator_count, d.sum_attestation_rewards::text as rewards
      from private_set_days d join private_sets s using (set_id) where set_id = $1 and d.date >= s.complete_from
      order by 1, 2`,
      [id],
    );
    const expected = await query(
      `select a.utc, a.date::text as date, count(*)::int as validator_count, sum(a.sum_attestation_rewards)::text as rewards
      from private_sets s join private_set_members m using (set_id)
      join validator_days a on a.network = 'mainnet' and a.validator_index = m.validator_index
        and a.date >= m.counts_from and a.date < m.counts_until and a.date >= s.complete_from
      where set_id = $1 group by 1, 2 order by 1, 2`,
      [id],
    );
    expect([what, rows]).toEqual([what, expected]);
    const { json } = await account.get(`/v1/eth/tags/${id}`);
    expect([what, (await shown()).length]).toEqual([what, rows.length / 2]);
    return [json.progress?.completeFrom, json.progress?.share];
  };
  expect(await check('created')).toEqual(['2025-03-02', 0.5555]);
  const month = {
    part: 'validator_days_2025_01',
    from: '2025-01-01',
    before: '2025-02-01',
    rows: 0,
    bytes: 0,
  };
  expect(await transaction(pool, (client) => whyNeeded(client, month))).toMatch(
    /^days of this month are not summed yet for a private set/,
  );
  expect(await transaction(pool, sumOlderDays)).toBe('summed');
  await transaction(pool, completeSets);
  // 640 validators, in what is left of a month: the first date is complete once all have it.
  expect(await check('a step')).toEqual(['2025-03-02', 0.5626]);
  for (const index of [5, 900])
    expect((await account.call('DELETE', `/v1/eth/tags/${id}/validators/${hexKey(index)}`)).status).toBe(204);
  await check('removed');
  const corrected = ['2025-01-25', '2025-02-20', '2025-04-01'];
  await query(
    `update validator_days set sum_attestation_rewards = sum_attestation_rewards + 7
    where network = 'mainnet' and date = any($1::date[])`,
    [corrected],
  );
  await transaction(pool, (db) => refreshSetDays(db, 'mainnet', corrected));
  await check('corrected');
  const more = await account.post(`/v1/eth/tags/${id}/validators`, { pubkeys: indices(1_000, VALIDATORS) });
  expect(more.json.tag.progress.completeFrom).toBe('2025-03-02');
  await check('added');
  const seen = new Set<string>();
  for (let steps = 0; await step(); steps += 1) {
    expect(steps).toBeLessThan(40);
    const [from] = await check(`step ${steps}`);
    if (from) seen.add(String(from));
  }
  // A month at a time, since it is in one partition or in one archived file. One of the processes may be done before the other,
  // and then the set is complete from where the later validators begin.
  const fromLater = seen.delete('2025-01-28') ? ['2025-01-28'] : [];
  expect([...seen, ...fromLater]).toEqual(['2025-03-01', '2025-02-01', ...fromLater]);
  expect(await check('complete')).toEqual([undefined, undefined]);
  expect((await shown()).length).toBe(DAYS);
  expect(await transaction(pool, (client) => whyNeeded(client, month))).not.toMatch(/private set/);
  const { data } = await account.graphql(
    `{ privateSet(setId: "${id}") { progress { completeFrom share } } }`,
  );
  expect(data.privateSet).toEqual({ progress: null });
});

it('a set that is being changed is left alone meanwhile', async () => {
  const { pool } = gateway.database;
  const run = (text: string) => pool.query({ text, values: [] });
  await run(`update private_set_members set summed_from = '2025-02-01'`);
  await run(`update private_sets set complete_from = '2025-02-01'`);
  const meanwhile = await transaction(pool, async (db) => {
    await db.query({ text: `update private_sets set name = 'changed'`, values: [] });
    return transaction(pool, sumOlderDays);
  });
  expect([meanwhile, await transaction(pool, sumOlderDays)]).toEqual(['busy', 'summed']);
});

it('a set that is summed up to its oldest day is noted as complete, also if the process that summed it was killed', async () => {
  const { pool } = gateway.database;
  const run = (text: string) => pool.query({ text, values: [] });
  await run(`update private_set_members set summed_from = '-infinity'`);
  await run(`update private_sets set complete_from = '2025-02-01'`);
  expect(await transaction(pool, sumOlderDays)).toBe('busy');
  await transaction(pool, completeSets);
  expect(await transaction(pool, sumOlderDays)).toBe('nothing left');
});
