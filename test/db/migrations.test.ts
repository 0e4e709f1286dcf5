import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase, startGateway, type TestDatabase } from '../support/gateway.ts';
import { committedTo, dropTables, migrationsFolder as folder, migrateAnewTo } from '../support/migrations.ts';
import { slow } from '../support/thorough.ts';

const snapshot = fileURLToPath(new URL('./migrations.sha256', import.meta.url));

let database: TestDatabase;
beforeEach(async () => {
  const made = await createDatabase('empty');
  onTestFinished(() => made.drop());
  database = made;
  await dropTables(made);
});
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);

describe('a committed migration', () => {
  it('never changes: its checksum is that of migrations.sha256', () => {
    const sums = readdirSync(folder)
      .sort()
      .map(
        (name) =>
          `${createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')}  ${name}`,
      );
    const advice = `
A migration that was ever committed may be applied somewhere: put it back as it was and write a new one beside it.
A new one gets its line by: (cd src/db/migrations && sha256sum *.sql) > test/db/migrations.sha256
`;
    expect(sums, advice).toEqual(readFileSync(snapshot, 'utf8').trim().split('\n'));
  });
});

describe('0018_written_rows', () => {
  it('shows lists of objects as they were, every digit and character of them', async () => {
    await migrate(database.url, committedTo('0017'));
    const clients = [
      { percentage: 1e-9, client: 'a "b" \\ %s, é' },
      { client: '', percentage: 1 },
    ];
    await database.pool.query({
      text: `insert into operator_summaries (network, id_type, time_window, operator_id, validator_count, avg_correctness,
          avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags)
        values ('mainnet', 'pool', '7d', 'x', 1, 1, 1, 1, $1, '[]', '[{"path": null, "name": "tag"}, {"name": "bare"}]')`,
      values: [JSON.stringify(clients)],
    });
    await run(`insert into operator_profiles (network, id_type, operator_id, operator_tags)
      values ('mainnet', 'pool', 'x', '[{"path": "/p", "name": "n"}]')`);
    const figures = Array.from({ length: 15 }, () => '1').join();
    await run(`insert into stake_authority_summaries (time_window, stake_authority, validator_delegates, staking_rewards_apy,
        mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake, network_penetration,
        aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate, sum_staking_rewards,
        sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid, sum_commission_paid, delegations)
      values ('7d', 'x', 1, ${figures},
        '[{"percentage": 0.10000000000000000000000000000000000001, "validatorName": null, "validatorVoteAccount": "v"}]')`);
    expect(await migrate(database.url, committedTo('0018'))).toEqual(['0018_written_rows']);
    expect(
      await run(`select client_percentages::text as clients, relayer_percentages::text as relayers, operator_tags::text as tags
        from operator_summaries`),
    ).toEqual([
      {
        clients: '[{"client":"a \\"b\\" \\\\ %s, é","percentage":0.000000001},{"client":"","percentage":1}]',
        relayers: '[]',
        tags: '[{"name":"tag","path":null},{"name":"bare","path":null}]',
      },
    ]);
    expect(await run('select operator_tags::text as tags from operator_profiles')).toEqual([
      { tags: '[{"name":"n","path":"/p"}]' },
    ]);
    expect(await run('select delegations::text as delegations from stake_authority_summaries')).toEqual([
      {
        delegations:
          '[{"validatorVoteAccount":"v","validatorName":null,"percentage":"0.10000000000000000000000000000000000001"}]',
      },
    ]);
  });
});

describe('0024_cardano_pool_hashes', () => {
  it('makes the hash of the pool id of a number, and leaves null as it is', async () => {
    await migrate(database.url, committedTo('0023'));
    const poolId = 'pool1z5uqdk7dzdxaae5633fqfcu2eqzy3a3rgtuvy087fdld7yws0xt';
    await run(`insert into cardano_validator_rewards
      select day::date, 531, 1, 2, 3, 4, '${poolId}', number, null, null, '{}', 0, 0, 0, 0, 0, 0
      from (values ('2025-01-01', 42), ('2025-01-02', null)) as given (day, number)`);
    expect(await migrate(database.url)).toContain('0024_cardano_pool_hashes');
    expect(await run('select pool_hash_id from cardano_validator_rewards order by day')).toEqual([
      { pool_hash_id: '153806dbcd134ddee69a8c5204e38ac80448f62342f8c23cfe4b7edf' },
      { pool_hash_id: null },
    ]);
  });
});

describe('0026_shares_as_shown', () => {
  slow('writes stored shares as answers do, and leaves all else as it was', async () => {
    await migrate(database.url, committedTo('0021'));
    const lists = [
      '[{"client":"a \\"b\\" \\\\ :1}","percentage":1},{"client":"","percentage":0.00001417267551768423}]',
      '[{"client":"c","percentage":6.7e-7},{"client":"d","percentage":0},{"client":"e","percentage":0.0001}]',
      '[{"client":"f","percentage":0.1}]',
    ];
    await database.pool.query({
      text: `insert into operator_summaries (network, id_type, time_window, operator_id, validator_count, avg_correctness,
          avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags)
        select 'mainnet', 'pool', '7d', list, 1, 1, 1, 1, list::json, replace(list, 'client', 'relayer')::json, '[]'
        from unnest($1::text[]) list`,
      values: [lists],
    });
    expect(await migrate(database.url)).toContain('0026_shares_as_shown');
    const now = [
      '[{"client":"a \\"b\\" \\\\ :1}","percentage":1.0},{"client":"","percentage":1.417267551768423e-05}]',
      '[{"client":"c","percentage":6.7e-07},{"client":"d","percentage":0.0},{"client":"e","percentage":0.0001}]',
      '[{"client":"f","percentage":0.1}]',
    ];
    const stored = await database.pool.query({
      text: `select s.client_percentages::text as clients, s.relayer_percentages::text as relayers
        from unnest($1::text[]) with ordinality as l (list, place) join operator_summaries s on s.operator_id = list
        order by place`,
      values: [lists],
    });
    expect(stored.rows).toEqual(
      now.map((clients) => ({ clients, relayers: clients.replaceAll('client', 'relayer') })),
    );
  });
});

describe('0029_validator_days_by_month', () => {
  const columns = (day: string) =>
    `'mainnet', v, u, ${day}, date '2020-12-01' + ${day}, 1, 2, null, null, 3, 0, 3, 3, 3, 0, 0, 0, 0, v % 9, 0, 0, v * 32, 32, -v, 0, 0, 0, 0`;
  const rows = () => run('select * from validator_days order by date, utc, validator_index');
  const parts = async () =>
    (
      await run(`select c.relname as part, pg_get_expr(c.relpartbound, c.oid) as bounds, (
          select string_agg(pg_get_indexdef(indexrelid), '; ' order by indexrelid::regclass::text)
          from pg_index where indrelid = c.oid
        ) as indexes, (select count(*)::int from pg_constraint where conrelid = c.oid and contype = 'c') as checks
        from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = 'validator_days'::regclass order by 1`)
    ).map((row) => row as { part: string; bounds: string; indexes: string; checks: number });

  slow('keeps every day that is stored, in parts of the months that there are', async () => {
    await migrate(database.url, committedTo('0028'));
    const days = [1_130, 1_491, 1_492, 1_522, 1_523]; // 2024-01-05, 2024-12-31, 2025-01-01, 2025-01-31, 2025-02-01
    await run(
      `select validator_day_parts(array(select date '2020-12-01' + d from unnest(array[${days}]) d))`,
    );
    await run(`insert into validator_days select ${columns('d')}
      from unnest(array[${days}]) d, generate_series(1, 50) v, unnest(array[true, false]) u`);
    const stored = await rows();
    expect(stored).toHaveLength(500);
    await migrate(database.url);
    expect(await rows()).toEqual(stored);
    const month = (name: string, from: string, to: string) => ({
      part: `validator_days_${name}`,
      bounds: `FOR VALUES FROM ('${from}') TO ('${to}')`,
      indexes: expect.stringMatching(
        /USING brin \(date\).*; CREATE UNIQUE INDEX .* \(network, utc, validator_index, date\)/,
      ),
      checks: 0,
    });
    const months = [
      month('2024_01', '2024-01-01', '2024-02-01'),
      month('2024_12', '2024-12-01', '2025-01-01'),
      month('2025_01', '2025-01-01', '2025-02-01'),
      month('2025_02', '2025-02-01', '2025-03-01'),
    ];
    expect(await parts()).toEqual(months);
    await run(`select validator_day_parts(array['2025-03-31'::date, '2025-02-07'::date])`);
    expect(await parts()).toEqual([...months, month('2025_03', '2025-03-01', '2025-04-01')]);
    await expect(
      run(`insert into validator_days select ${columns('1492')} from (values (1, true)) n (v, u)`),
    ).rejects.toThrow('duplicate key');
  });
});

describe('0022_operator_tags', () => {
  const tag = (name: string, path: string | null) => ({ name, path });
  const summary = (idType: string, id: string, more: object = {}) => ({
    ...{
      network: 'mainnet',
      id_type: idType,
      time_window: '7d',
      operator_id: id,
      validator_count: 1,
      avg_correctness: 1,
    },
    ...{ avg_uptime: 1, avg_validator_effectiveness: 1, client_percentages: [], relayer_percentages: [] },
    ...{ operator_tags: [], superseded: false, ...more },
  });
  const share = (
    id: string,
    pool: string | null,
    operator: string | null,
    tags: object[],
    more: object = {},
  ) => summary('poolShare', id, { pool_id: pool, node_operator_id: operator, operator_tags: tags, ...more });
  const insert = (table: string, rows: object[]) => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
    const text = `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1)`;
    return database.pool.query({ text, values: [JSON.stringify(rows)] });
  };
  const toKiln = [tag('operator', '/o/Kiln'), tag('Lido', '/o/Lido')];

  slow(
    'puts shares under the node operators in the paths of their tags, and known pools under liquid staking',
    async () => {
      await migrateAnewTo(database, '0021');
      const address = `0x${'Ab'.repeat(20)}`;
      await insert('operator_summaries', [
        share('Kiln - Lido', 'Lido', 'operator', toKiln, { pool_type: null }),
        share('Kiln - Direct', null, 'operator', [tag('operator', '/o/Kiln')]),
        share('encoded', 'Other', 'operator', [
          tag('operator', '/o/Z%C3%BCri%20100%25'),
          tag('Other', '/o/Other'),
        ]),
        share('no encoding', 'Other', 'operator', [tag('operator', '/o/100%'), tag('Other', null)]),
        share('no text', 'Other', 'operator', [tag('operator', '/o/%ff%00')]),
        share('address', 'Other', 'operator', [tag('operator', `/o/${address}`)]),
        share('outright', 'Other', 'Told', [tag('operator', '/o/Told')]),
        share('by name', 'Other', 'N', [tag('N', '/operator/N')]),
        share('found', 'Lido', 'operator', []),
        share('gone', 'Lido', 'operator', toKiln, { superseded: true }),
        summary('pool', 'Lido', { operator_tags: [tag('pool', null)] }),
        summary('pool', 'Other', { operator_tags: [tag('exchange', '/x')], pool_type: 'cex' }),
        summary('pool', 'Swell', { operator_tags: [tag('exchange', null)], pool_type: 'cex' }),
        summary('nodeOperator', 'Kiln'),
      ]);
      expect(await migrate(database.url)).toContain('0022_operator_tags');
      const stored =
        await run(`select operator_id as id, pool_id as pool, node_operator_id as operator, operator_tags::text as tags
      from operator_summaries where id_type = 'poolShare' order by 1`);
      expect(
        Object.fromEntries(stored.map(({ id, pool, operator }) => [String(id), [pool, operator]])),
      ).toEqual({
        'Kiln - Lido': ['Lido', 'Kiln'],
        'Kiln - Direct': [null, 'Kiln'],
        encoded: ['Other', 'Züri 100%'],
        'no encoding': ['Other', '100%'],
        'no text': ['Other', '%ff%00'],
        address: ['Other', address.toLowerCase()],
        outright: ['Other', 'Told'],
        'by name': ['Other', 'N'],
        found: ['Lido', 'operator'],
        gone: ['Lido', 'Kiln'],
      });
      const tags = Object.fromEntries(stored.map((row) => [String(row.id), row.tags]));
      expect(tags).toMatchObject({
        'Kiln - Lido':
          '[{"name":"operator","path":"/o/Kiln","idType":"nodeOperator"},{"name":"Lido","path":"/o/Lido","idType":"pool"}]',
        'no encoding':
          '[{"name":"operator","path":"/o/100%","idType":"nodeOperator"},{"name":"Other","path":null,"idType":null}]',
        outright: '[{"name":"operator","path":"/o/Told","idType":"nodeOperator"}]',
        'by name': '[{"name":"N","path":"/operator/N","idType":null}]',
        found: '[]',
      });
      const own = await startGateway({ database });
      onTestFinished(() => own.close());
      const ids = async (query: string) =>
        (await own.get(`/v0/eth/operators?window=7d&${query}`)).json.data.map((row: any) => row.id).sort();
      expect(await ids('parentId=Kiln')).toEqual(['Kiln - Direct', 'Kiln - Lido']);
      expect(await ids('parentId=operator')).toEqual(['found']);
      expect(await ids('idType=pool&poolType=lst')).toEqual(['Lido']);
      expect(await ids('idType=pool&poolType=cex')).toEqual(['Other', 'Swell']);
      expect(await ids('idType=poolShare&poolType=lst')).toEqual(['Kiln - Lido', 'found']);
      const { json } = await own.get('/v0/eth/operators?window=7d&idType=pool&poolType=lst');
      expect(json.data[0].operatorTags).toEqual([{ name: 'pool', path: null, idType: null }]);
      expect(await run(`select revision from datasets where name = 'operators'`)).toEqual([{ revision: 1 }]);
    },
  );

  it('puts profiles right as far as their parents stay one share', async () => {
    await migrateAnewTo(database, '0021');
    const profile = (id: string, operator: string, tags: object[]) => ({
      ...{
        network: 'mainnet',
        id_type: 'poolShare',
        operator_id: id,
        pool_id: 'Lido',
        node_operator_id: operator,
      },
      operator_tags: tags,
    });
    await insert('operator_profiles', [
      profile('a', 'operator', toKiln),
      profile('b', 'Figment', []),
      profile('c', 'label', [tag('label', '/o/Figment')]),
      {
        ...profile('Lido', '', [tag('liquid staking', null)]),
        id_type: 'pool',
        pool_id: null,
        node_operator_id: null,
      },
    ]);
    await migrate(database.url);
    expect(
      await run(
        'select operator_id as id, node_operator_id as operator, operator_tags::text as tags from operator_profiles order by 1',
      ),
    ).toEqual([
      { id: 'Lido', operator: null, tags: '[{"name":"liquid staking","path":null,"idType":null}]' },
      {
        ...{ id: 'a', operator: 'Kiln' },
        tags: '[{"name":"operator","path":"/o/Kiln","idType":"nodeOperator"},{"name":"Lido","path":"/o/Lido","idType":"pool"}]',
      },
      { id: 'b', operator: 'Figment', tags: '[]' },
      { id: 'c', operator: 'label', tags: '[{"name":"label","path":"/o/Figment","idType":"nodeOperator"}]' },
    ]);
  });

  it('raises no revision where nothing is stored', async () => {
    await migrateAnewTo(database, '0021');
    await migrate(database.url);
    expect(await run('select name from datasets')).toEqual([]);
  });
});
