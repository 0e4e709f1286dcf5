import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dataDirForTest, endRunning, serve } from '../support/process.ts';

let database: TestDatabase;
beforeAll(async () => void (database = await createDatabase('sample')));
afterEach(endRunning);
afterAll(() => database.drop());

it('the log of a lost connection has message, code and stack, and nothing else of the connection', async () => {
  const { token } = await createToken(database.pool, 'test');
  const served = await serve({ env: { DATABASE_URL: database.url, DATA_DIR: dataDirForTest() } });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${served.url}/v0/eth/slashings`, { headers })).status).toBe(200);
  await database.pool.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    values: [],
  });
  const linesOfLosses = () =>
    served
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"database error"'))
      .map((line) => JSON.parse(line));
  await eventually(() => expect(linesOfLosses().length).toBeGreaterThan(0));
  for (const { err } of linesOfLosses())
    expect(Object.keys(err).filter((name) => !['type', 'message', 'stack', 'code'].includes(name))).toEqual(
      [],
    );
  expect(served.stderr()).not.toMatch(/secretKey|processID|parsedStatements/);
});
