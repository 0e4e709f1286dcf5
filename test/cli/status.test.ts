import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochStart, SECONDS_PER_EPOCH } from '../../src/chain/calendar.ts';
import { openStore } from '../../src/indexer/store/index.ts';
import { version } from '../../src/kernel/version.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { type Outcome, stakegraph, stakegraphOfEach } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const run = (text: string, values: unknown[] = []) => database.pool.query({ text, values });
const status = (...args: string[]) =>
  stakegraph(['status', ...args], { env: { DATABASE_URL: database.url } });
/** Without and with the arguments. */
const statusAndWith = (...args: string[]) =>
  stakegraphOfEach([['status'], ['status', ...args]], { env: { DATABASE_URL: database.url } }) as Promise<
    [Outcome, Outcome]
  >;
const now = Math.floor((Date.now() / 1000 - epochStart('hoodi', 0)) / SECONDS_PER_EPOCH);

describe('stakegraph status', () => {
  it('is ready on an empty database', async () => {
    const { code, stdout, stderr } = await status();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^stakegraph ${version}, migration \\d{4}_\\w+\nstatus   ready\n$`));
  });

  slow('shows datasets, how far an index is, and what it warns of', async () => {
    await run(
      `insert into index_state (network, first_epoch, epoch, state, version, written_at)
      values ('hoodi', 0, $1, '', 2, now())`,
      [now - 5],
    );
    await run(
      `insert into index_ranges values ('hoodi', 100, 199), ('hoodi', 250, 299), ('hoodi', 300, $1)`,
      [now - 5],
    );
    await run(
      `insert into datasets (name, revision, refreshed_at) values ('blocks', 3, '2026-11-30T10:00:00Z')`,
    );
    await run(
      `insert into dataset_origins (dataset, network, origin, written_at) values ('blocks', 'hoodi', 'index', now())`,
    );
    await run(
      `insert into chain_balances (network, epoch, total_active_balance) values ('hoodi', $1, 32000000000)`,
      [now - 5],
    );
    await run(
      `insert into datasets (name, revision, refreshed_at) values ('chain-balances', 1, '2026-11-30T10:00:00Z')`,
    );
    await openStore(database.pool, 'hoodi').writeForks([{ name: 'heze', epoch: now + 225 * 30 }]);
    const [inWords, { code, stdout }] = await statusAndWith('--json');
    const found = JSON.parse(stdout);
    const { time } = found.index[0].unknownFork;
    expect([code, found]).toMatchObject([
      0,
      {
        ...{ version, status: 'ready' },
        warnings: [
          `hoodi: figures end with epoch ${now + 225 * 30 - 3}, because this version does not know the fork heze (epoch ${now + 225 * 30}, ${time}); update stakegraph`,
          'hoodi: epochs 200 to 249 were left out; docs/index-from-your-node.md tells how to add them',
        ],
        index: [{ network: 'hoodi', indexedEpoch: now - 5, missing: [{ firstEpoch: 200, lastEpoch: 249 }] }],
      },
    ]);
    expect(found.datasets).toMatchObject([
      { name: 'blocks', revision: 3, origins: [{ network: 'hoodi', origin: 'index' }], newest: [] },
      { name: 'chain-balances', newest: [{ network: 'hoodi', epoch: now - 5 }] },
    ]);
    const text = inWords.stdout.split('\n');
    expect(text[2]).toMatch(new RegExp(`^index    hoodi: epoch ${now - 5}, which ended \\d+ min ago$`));
    expect(text.slice(3, 5)).toEqual(found.warnings.map((warning: string) => `warning  ${warning}`));
    expect(text[6]).toMatch(/^dataset {2}chain-balances, changed \S+Z; hoodi: epoch \d+$/);
  });

  slow(
    'ends with 1 a week before a fork that this version does not know, and says that a late index is late',
    async () => {
      await openStore(database.pool, 'hoodi').writeForks([{ name: 'heze', epoch: now + 225 * 6 }]);
      await run('update index_state set epoch = $1', [now - 20]);
      const [{ code, stdout }, wrong] = await statusAndWith('--json', 'more');
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/^status {3}degraded: figures end with epoch/m),
      ]);
      expect(stdout).toMatch(/^warning {2}hoodi: epoch \d+ is the newest, and ended \d+ h ago$/m);
      expect(wrong.code).toBe(2);
    },
  );

  slow('ends with 1 where the database lacks a migration or does not answer', async () => {
    await run('delete from stakegraph_migrations');
    expect(await status()).toMatchObject({ code: 1, stderr: expect.stringContaining('The database lacks') });
    const gone = await stakegraph(['status'], { env: { DATABASE_URL: 'postgres://127.0.0.1:9/none' } });
    expect(gone).toMatchObject({ code: 1, stdout: '' });
  });
});
