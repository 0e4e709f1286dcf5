import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { developmentToken } from '../../src/accounts/development-token.ts';
import { slashing } from '../ingest/rows.ts';
import { load, validator, validatorDay } from '../refresh/facts.ts';
import { startBeaconNode } from '../support/beacon-node.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, gatewayForTest, type TestDatabase } from '../support/gateway.ts';
import { indexed } from '../support/indexed.ts';
import { stakegraph } from '../support/process.ts';
import { syntheticChain } from '../support/synthetic-chain.ts';
import { slow } from '../support/thorough.ts';

const me = `${userInfo().username}@${hostname()}`;

async function databaseForTest(): Promise<TestDatabase> {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database;
}

const entriesOf = async ({ pool }: TestDatabase, action: string) =>
  (
    await pool.query({
      text: `select actor_type, actor, subject, details from audit_log where action like $1 order by entry_id`,
      values: [action],
    })
  ).rows;
const byMe = { actor_type: 'user', actor: me };

describe('the audit log', () => {
  slow(
    'has an entry of a refresh by network that changed rows, and none of one that changed nothing',
    async () => {
      const gateway = await gatewayForTest({ template: 'empty' });
      await load(gateway, 'validators', [validator(1)]);
      await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
      const refresh = () =>
        stakegraph(['refresh', '--only', 'operators', '--networks', 'mainnet,hoodi', '--windows', '1d'], {
          env: { DATABASE_URL: gateway.database.url },
        });
      const expected = [
        { ...byMe, subject: 'mainnet', details: { rows: expect.any(Number), failed: false } },
      ];
      expect(await refresh()).toMatchObject({ code: 0, stderr: '' });
      const entries = await entriesOf(gateway.database, 'refresh');
      expect(entries).toEqual(expected);
      expect(entries).not.toMatchObject([{ details: { rows: 0 } }]);
      expect(await refresh()).toMatchObject({ code: 0, stderr: '' });
      expect(await entriesOf(gateway.database, 'refresh')).toEqual(expected);
    },
  );

  slow(
    'has an entry of a round of a mirror that changed rows, by its source, and none of another',
    async () => {
      const [database, original] = [await databaseForTest(), await gatewayForTest({ template: 'empty' })];
      await load(original, 'slashings', [slashing(1), slashing(2)]);
      const round = () =>
        stakegraph(
          ['mirror', '--from', original.url, '--token-env', 'UPSTREAM', '--resources', 'slashings', '--full'],
          { env: { DATABASE_URL: database.url, UPSTREAM: original.token } },
        );
      const expected = [{ ...byMe, subject: original.url, details: { rows: 2, complete: true } }];
      expect(await round()).toMatchObject({ code: 0 });
      expect(await entriesOf(database, 'mirror')).toEqual(expected);
      expect(await round()).toMatchObject({ code: 0 });
      expect(await entriesOf(database, 'mirror')).toEqual(expected);
    },
  );

  it('has an entry of each start of an index, by its network', async () => {
    const [database, node] = [await databaseForTest(), await startBeaconNode(syntheticChain())];
    onTestFinished(() => node.close());
    const stop = new AbortController();
    const running = indexed(database, [node.url], { once: false, stop: stop.signal }).catch(() => undefined);
    await eventually(async () =>
      expect(await entriesOf(database, 'index')).toEqual([{ ...byMe, subject: 'hoodi', details: {} }]),
    );
    stop.abort();
    await running;
  });

  it('has an entry of the development token', async () => {
    const database = await databaseForTest();
    const folder = mkdtempSync(join(tmpdir(), 'stakegraph-token-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const token = await developmentToken(folder, database.pool);
    expect(await developmentToken(folder, database.pool)).toBe(token);
    const entries = await entriesOf(database, 'token.%');
    const details = { account: 'default', name: 'development' };
    expect(entries).toEqual([{ ...byMe, subject: expect.any(String), details }]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  slow('has an entry of each change of a private set, by the token', async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    await load(gateway, 'validators', [validator(1), validator(2)]);
    const change = async (mutation: string) => {
      const { data, errors } = await gateway.graphql(
        `mutation { set: ${mutation} { privateSet { setId } userErrors { message } } }`,
      );
      expect([errors, data?.set.userErrors]).toEqual([undefined, []]);
      return data.set.privateSet.setId as string;
    };
    const setId = await change('createPrivateSet(input: { name: "Ours", validators: [{ index: 1 }] })');
    const of = `setId: "${setId}"`;
    await change(`renamePrivateSet(input: { ${of}, name: "Mine" })`);
    await change(`addPrivateSetValidators(input: { ${of}, validators: [{ index: 2 }] })`);
    await change(`removePrivateSetValidators(input: { ${of}, validators: [{ index: 1 }, { index: 2 }] })`);
    const { pool } = gateway.database;
    const { rows } = await pool.query({
      text: `select action, actor_type, actor, subject, details from audit_log where action like 'private-set.%' order by entry_id`,
      values: [],
    });
    const byToken = { actor_type: 'token', actor: 'default/test', subject: setId };
    expect(rows).toEqual([
      { ...byToken, action: 'private-set.create', details: { network: 'mainnet', validators: 1 } },
      { ...byToken, action: 'private-set.rename', details: {} },
      { ...byToken, action: 'private-set.add-validators', details: { validators: 1 } },
      { ...byToken, action: 'private-set.remove-validators', details: { validators: 2 } },
    ]);
  });
});
