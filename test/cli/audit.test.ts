import { hostname, userInfo } from 'node:os';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../src/accounts/token-format.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Outcome, stakegraph, stakegraphOfEach } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

const logged: { msg: string; audit: Record<string, unknown> }[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)));
      done();
    },
  }),
);
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty', log });
  // The gateway may not listen yet.
  await eventually(async () => {
    await run(
      `insert into audit_log (actor_type, actor, action, subject, details) values ('user', '', 'probe', '', '{}')`,
    );
    expect(logged.length).toBeGreaterThan(0);
  });
  logged.length = 0;
});
afterAll(() => gateway.close());

const me = `${userInfo().username}@${hostname()}`;
const run = (text: string, values: unknown[] = []) => gateway.database.pool.query({ text, values });
const call = (args: string[], input?: string) =>
  stakegraph(args, {
    env: { DATABASE_URL: gateway.database.url },
    ...(input === undefined ? {} : { input }),
  });
const callEach = (...lists: string[][]) =>
  stakegraphOfEach(lists, { env: { DATABASE_URL: gateway.database.url } });
async function entries(...args: string[]): Promise<Record<string, any>[]> {
  const { code, stdout, stderr } = await call(['audit', '--json', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const refused: [string[], string][] = [
  [['audit', '--since', 'yesterday'], 'A date, a date-time with its zone, or an age is needed'],
  [['audit', '--delete-before', '89d'], 'Entries of the last 90 days cannot be removed.'],
  [['audit', '--delete-before', 'x'], 'A date, a date-time with its zone, or an age is needed'],
];
let outcomes: Outcome[];
beforeAll(async () => {
  outcomes = await callEach(...refused.map(([args]) => args), ['token', 'create', '--name', newToken()]);
});

describe('stakegraph audit', () => {
  slow(
    'shows who made, rotated and revoked tokens, changed a tier, imported and changed a private set',
    async () => {
      const [, , , made] = await callEach(
        ['account', 'create', 'Firm'],
        ['account', 'set-tier', 'Firm', 'growth', '--rate', '7'],
        ['account', 'set-tier', 'Firm', 'growth', '--rate', '9', '--units', '5'],
        ['token', 'create', '--name', 'web', '--account', 'Firm'],
      );
      const id = /Token (\S+)/.exec(made?.stderr as string)?.[1] as string;
      const ended = await callEach(
        ['token', 'rotate', id, '--grace', '60'],
        ['token', 'revoke', id],
        ['token', 'revoke', id],
      );
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 1]);
      await call(['import', 'chain-balances', '-'], '[{"epoch":1,"totalActiveBalance":1}]');
      const created = await gateway.graphql(
        'mutation { createPrivateSet(input: { name: "Ours" }) { privateSet { setId } userErrors { message } } }',
      );
      const { setId } = created.data.createPrivateSet.privateSet;
      await gateway.graphql(
        `mutation { deletePrivateSet(input: { setId: "${setId}" }) { userErrors { message } } }`,
      );

      const found = await entries();
      const mine = found.filter(({ action }) => action !== 'migrate' && action !== 'probe');
      expect(
        mine.map(({ actorType, actor, action, subject }) => [actorType, actor, action, subject]),
      ).toEqual([
        ['user', me, 'account.create', 'Firm'],
        ['user', me, 'account.set-tier', 'Firm'],
        ['user', me, 'account.set-tier', 'Firm'],
        ['user', me, 'token.create', id],
        ['user', me, 'token.rotate', expect.any(String)],
        ['user', me, 'token.revoke', id],
        ['user', me, 'import', 'chain-balances'],
        ['token', 'default/test', 'private-set.create', setId],
        ['token', 'default/test', 'private-set.delete', setId],
      ]);
      expect(mine[1]?.details).toEqual({
        ...{ before: 'free', beforeRate: 'tier', beforeUnits: 'tier' },
        ...{ tier: 'growth', rate: 7 },
      });
      expect(mine[2]?.details).toEqual({
        ...{ before: 'growth', beforeRate: 7, beforeUnits: 'tier' },
        ...{ tier: 'growth', rate: 9, units: 5 },
      });
      expect(mine[4]?.details).toMatchObject({ account: 'Firm', name: 'web', oldTokenId: id });
      expect(mine[6]?.details).toEqual({ file: '-', inserted: 1, updated: 0, removed: 0 });
      expect(found.some(({ action, subject }) => action === 'migrate' && /^\d{4}_/.test(subject))).toBe(true);
      expect(JSON.stringify(found)).not.toMatch(/sgt_/);

      await eventually(() =>
        expect(
          logged
            .filter(({ msg, audit }) => msg === 'audit' && audit.action !== 'probe')
            .map(({ audit }) => [audit.entry_id, audit.action]),
        ).toEqual(mine.map(({ id, action }) => [id, action])),
      );
      const text = await call(['audit', '--since', '1d']);
      expect(text.stdout).toContain(`  user ${me}  account.create  Firm  `);
    },
  );

  slow('names who ran a command by sudo', async () => {
    const { code } = await stakegraph(['account', 'create', 'By sudo'], {
      env: { DATABASE_URL: gateway.database.url, SUDO_USER: 'alice' },
    });
    expect(code).toBe(0);
    const made = (await entries()).find(({ subject }) => subject === 'By sudo');
    expect(made?.actor).toBe(`alice (sudo ${userInfo().username})@${hostname()}`);
  });

  slow('shows only what is newer than --since', async () => {
    const shown = await callEach(
      ...['2999-01-01', '12h', '1d', '0m'].map((since) => ['audit', '--json', '--since', since]),
    );
    const [future, hours, day, now] = shown.map(({ stdout }) => stdout);
    expect([future, now]).toEqual(['', '']);
    expect(hours).toBe(day);
    expect(hours).not.toBe('');
  });

  it.each(refused)('refuses %j with 2', (args, told) => {
    const { code, stderr } = outcomes[refused.findIndex(([each]) => each === args)] as Outcome;
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});

describe('audit_log', () => {
  it.each([
    ['update', `update audit_log set actor = 'nobody'`],
    ['delete', 'delete from audit_log'],
    ['truncate', 'truncate audit_log'],
  ])('refuses %s', async (_name, text) => {
    await run(
      `insert into audit_log (actor_type, actor, action, subject, details) values ('user', 'a', 'b', 'c', '{}')`,
    );
    await expect(run(text)).rejects.toThrow('audit_log is append-only');
  });

  slow('keeps 90 days whatever is set, and loses older entries to the command, which says so', async () => {
    await run(`insert into audit_log (at, actor_type, actor, action, subject, details)
      values (now() - interval '91 days', 'user', 'a', 'old', 'c', '{}')`);
    await expect(
      gateway.database.pool.withClient(async (client) => {
        await client
          .query(`begin; set local stakegraph.audit_delete = 'on'; delete from audit_log`)
          .finally(() => client.query('rollback'));
      }),
    ).rejects.toThrow('kept for 90 days');
    const before = await entries('--since', '400d');
    const removed = await call(['audit', '--delete-before', '90d']);
    expect(removed).toMatchObject({ code: 0, stdout: '1 entries removed\n' });
    const after = await entries('--since', '400d');
    expect(after.filter(({ action }) => action === 'old')).toEqual([]);
    expect(after).toHaveLength(before.length);
    expect(after.at(-1)).toMatchObject({ action: 'audit.delete', details: { removed: 1 } });
  });

  it('is not confused with other notifications, which every role may send', async () => {
    await run('notify stakegraph_audit');
    await run(`notify stakegraph_audit, 'hello'`);
    const others = () =>
      logged.filter(({ msg }) => msg === 'a notification is not of an entry of the audit log');
    await eventually(() => expect(others()).toHaveLength(2));
    await run(`notify stakegraph_audit, '{"entry_id": 999999, "action": "forged"}'`);
    await eventually(() => expect(others()).toHaveLength(3));
    expect(logged.filter(({ audit }) => audit?.action === 'forged')).toEqual([]);
    expect((await gateway.fetch('/health')).status).toBe(200);
  });

  it('tells gateways of an entry that is longer than a notification', async () => {
    await run(
      `insert into audit_log (actor_type, actor, action, subject, details)
      values ('user', 'a', 'long', 'c', jsonb_build_object('file', repeat('x', 9000))),
        ('user', 'a', 'longer', repeat('x', 9000), '{}')`,
    );
    await eventually(() => {
      const told = logged.flatMap(({ audit }) => (/^long/.test(String(audit?.action)) ? [audit] : []));
      expect(told.map(({ action, subject, details }) => [action, subject, details])).toEqual([
        ['long', 'c', { file: 'x'.repeat(9_000) }],
        ['longer', 'x'.repeat(9_000), {}],
      ]);
    });
  });
});

it('a token cannot be named after a token', () => {
  const { code, stderr } = outcomes.at(-1) as Outcome;
  expect([code, stderr]).toEqual([2, expect.stringContaining('A name must not contain a token.')]);
});
