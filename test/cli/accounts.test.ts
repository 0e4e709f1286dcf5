import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { stakegraph } from '../support/process.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const call = (...args: string[]) => stakegraph(args, { env: { DATABASE_URL: database.url } });

describe('stakegraph account', () => {
  it('makes, shows and lists accounts, and sets their tiers', async () => {
    const made = await call('account', 'create', 'frontend', '--tier', 'build', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject([{ name: 'frontend', tier: 'build', rateLimit: null }]);
    await call('token', 'create', '--name', 'web', '--account', 'frontend');
    const { stdout } = await call('account', 'show', 'frontend');
    expect(stdout).toBe(
      'frontend  build  10 requests a second  1,000,000 compute units a month  1 active token\n',
    );
    const set = await call('account', 'set-tier', 'frontend', 'enterprise', '--rate', '7', '--units', '5');
    expect(set.stdout).toBe(
      'frontend  enterprise  7 requests a second  5 compute units a month  1 active token\n',
    );
    expect((await call('account', 'list')).stdout).toBe(
      `default  enterprise  no rate limit  no allowance limit  0 active tokens\n${set.stdout}`,
    );
  });

  it('set-tier keeps limits that are not given, removes them for "tier", and refuses those that a tier fixes', async () => {
    await call('account', 'create', 'own', '--tier', 'growth', '--rate', '7', '--units', '5');
    const limits = '7 requests a second  5 compute units a month  0 active tokens\n';
    expect((await call('account', 'set-tier', 'own', 'build')).stdout).toBe(`own  build  ${limits}`);
    expect(await call('account', 'set-tier', 'own', 'free')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'stakegraph: The account "own" has an allowance of its own (5), and the allowance of the tier free is fixed; remove it with --units tier.\n',
    });
    expect((await call('account', 'show', 'own')).stdout).toBe(`own  build  ${limits}`);
    expect((await call('account', 'set-tier', 'own', 'free', '--units', 'tier')).stdout).toBe(
      'own  free  7 requests a second  100,000 compute units for life  0 active tokens\n',
    );
  });

  it('exits with 1 and says so where the account is there already, or not at all', async () => {
    expect(await call('account', 'create', 'default')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stakegraph: The account "default" already exists.\n',
    });
    for (const args of [
      ['account', 'show', 'nobody'],
      ['account', 'set-tier', 'nobody', 'free'],
      ['token', 'create', '--name', 'x', '--account', 'nobody'],
    ]) {
      const { code, stderr } = await call(...args);
      expect([code, stderr]).toEqual([
        1,
        'stakegraph: There is no account "nobody"; see "stakegraph account list".\n',
      ]);
    }
  });

  it.each([
    ['an unknown tier', ['create', 'x', '--tier', 'pro'], 'Allowed choices are free, starter, build'],
    ['units that are no number', ['create', 'x', '--units', '-1'], 'An integer from 0 to 999999999999999'],
    ['a rate of 0', ['create', 'x', '--rate', '0'], 'An integer from 1 to 999999'],
    ['a name with a line break', ['create', 'a\nb'], '1 to 64 letters'],
    [
      'an allowance of the free tier',
      ['create', 'x', '--units', '5'],
      '--units cannot be given with the tier free, whose allowance is fixed',
    ],
    [
      'a rate of the starter tier',
      ['set-tier', 'x', 'starter', '--rate', '5'],
      '--rate cannot be given with the tier starter, whose rate is fixed',
    ],
    ['no tier', ['set-tier', 'x'], "missing required argument 'tier'"],
  ])('exits with 2 for %s', async (_what, args, said) => {
    const { code, stderr } = await call('account', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});

describe('stakegraph token rotate', () => {
  it('prints the new token, and says how long the old one stays valid', async () => {
    await call('token', 'create', '--name', 'web');
    const [old] = JSON.parse((await call('token', 'list', '--json')).stdout);
    const { code, stdout, stderr } = await call('token', 'rotate', old.tokenId, '--grace', '60');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sgt_[\w-]{49}\n$/);
    const rows = JSON.parse((await call('token', 'list', '--json')).stdout);
    const { expiresAt } = rows.find((row: any) => row.tokenId === old.tokenId);
    expect(stderr).toContain(`Token ${old.tokenId} stays valid until ${expiresAt}.`);
    expect(rows.map((row: any) => row.name)).toContain('web');
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(61_000);
  });

  it('refuses a token that was rotated before, and says that a replacement expires as the old one does', async () => {
    await call('token', 'create', '--name', 'twice', '--expires', '2099-01-31');
    const [old] = JSON.parse((await call('token', 'list', '--json')).stdout);
    const first = await call('token', 'rotate', old.tokenId);
    expect(first.stderr).toContain('It is valid until 2099-01-31T00:00:00Z, as the old one was.');
    const second = await call('token', 'rotate', old.tokenId);
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toMatch(
      /^stakegraph: Token "[\w-]+" was rotated before and runs out: rotate its replacement, /,
    );
  });
});
