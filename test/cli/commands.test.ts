import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import {
  main,
  makeDataDir,
  type Outcome,
  project,
  run,
  stakegraph,
  stakegraphOfEach,
} from '../support/process.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
const folder = makeDataDir();
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const options = () => ({ env: { DATABASE_URL: database.url }, cwd: folder.path });
const call = (args: string[], input?: string | Buffer) =>
  stakegraph(args, { ...options(), ...(input === undefined ? {} : { input }) });
const lines = (text: string) => text.split('\n').filter(Boolean);

const slashing = (validatorIndex: number, change = {}) => ({
  validatorIndex,
  validatorPubkey: `0x${String(validatorIndex).padStart(96, '0')}`,
  slashingEpoch: validatorIndex,
  withdrawableEpoch: validatorIndex + 8192,
  balanceBeforeSlashing: 32_000_000_000,
  balanceBeforeWithdrawal: 31_000_000_000,
  slashingPenalties: 1_000_000_000,
  ...change,
});
const file = async (name: string, content: string | Buffer) => {
  await writeFile(join(folder.path, name), content);
  return name;
};
const stored = async () => {
  const text = 'select validator_index from slashings order by 1';
  return (await database.pool.query({ text, values: [] })).rows.map((row) => row.validator_index);
};

describe('--help', () => {
  const commands: [string, string[]][] = [
    ['', ['serve', 'migrate', 'import', 'token', '--version']],
    ['serve', ['DATABASE_URL', 'SIGTERM']],
    ['migrate', []],
    [
      'import',
      [
        'operators',
        'slashings',
        '--network',
        '--skip-invalid',
        '--rejects',
        '--replace',
        '--merge',
        '--create',
      ],
    ],
    ['mirror', ['--from', '--create']],
    ['open', ['GraphiQL', 'works once']],
    ['token', ['create', 'rotate', 'list', 'revoke']],
    ['token create', ['--name', '--account', '--expires']],
    ['token list', ['--json']],
    ['token revoke', ['<tokenId>']],
    ['token rotate', ['<tokenId>', '--grace']],
    ['account', ['create', 'list', 'show', 'set-tier']],
    ['account create', ['--tier', '--rate', '--json']],
    ['copy-to', ['--to-env', '--replace', '--with-sample', '--json']],
    ['backup', ['<path>', '--replace', '--keep', '--every', '--json']],
    ['distribute', ['--shards', '--undo', '--dry-run', '--json']],
    ['restore', ['<file>', '--replace', '--create', '--json']],
  ];
  const argsOf = (command: string) => [...command.split(' ').filter(Boolean), '--help'];
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await stakegraphOfEach(commands.map(([command]) => argsOf(command)));
  });

  slow('is the same from a process of its own', async () => {
    expect(await stakegraph(argsOf(''))).toEqual(outcomes[0]);
  });

  it.each(commands)('stakegraph %s --help names what is taken and exits with 0', (command, named) => {
    const at = commands.findIndex(([each]) => each === command);
    const { code, stdout, stderr } = outcomes[at] as Outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: stakegraph${command && ' '}${command}`);
    for (const name of named) expect(stdout).toContain(name);
  });

  slow('is answered to npx stakegraph in the folder of the project', async () => {
    const env = { HOME: folder.path, npm_config_update_notifier: 'false', npm_config_offline: 'true' };
    const { code, stdout } = await run('npx', ['stakegraph', '--help'], { cwd: project, env });
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: stakegraph [options] [command]');
  });
});

describe('wrong usage', () => {
  const uses: [string, string[], string][] = [
    ['an unknown command', ['migrat'], "unknown command 'migrat'\n(Did you mean migrate?)"],
    ['a name that every object has', ['constructor'], "unknown command 'constructor'"],
    ['an unknown command of token', ['token', 'frobnicate'], "unknown command 'frobnicate'"],
    ['an unknown option', ['migrate', '--force'], "unknown option '--force'"],
    ['an unknown option of no command', ['--force'], "unknown option '--force'"],
    ['a file of settings that does not exist, of no command', ['--config', 'none.conf'], 'none.conf'],
    ['a name that ends with a space', ['account', 'create', 'a '], 'without a space at its ends'],
    ['an unknown option of an inner command', ['token', 'list', '--all'], "unknown option '--all'"],
    ['a missing file', ['import', 'slashings'], "missing required argument 'files'"],
    ['an unknown resource', ['import', 'blobs', 'x.json'], 'Allowed choices are operators, slashings'],
    [
      'an unknown network',
      ['import', 'slashings', 'x.json', '--network', 'moon'],
      'Allowed choices are mainnet',
    ],
    [
      'options that exclude each other',
      ['import', 'slashings', 'x', '--merge', '--replace'],
      'cannot be used with',
    ],
    [
      'a replacement by a part of the rows',
      ['import', 'slashings', 'x', '--replace', '--skip-invalid'],
      'cannot be used with',
    ],
    ['a missing name', ['token', 'create'], "required option '--name <name>' not specified"],
    ['a name with a line break', ['token', 'create', '--name', 'a\nb'], '1 to 64 letters'],
    ['an expiry in the past', ['token', 'create', '--name', 'x', '--expires', '2020-01-31'], 'in the future'],
    [
      'an expiry that is no date',
      ['token', 'create', '--name', 'x', '--expires', '2030-02-30'],
      'a date-time with its zone',
    ],
    ['a database without a variable', ['copy-to'], "required option '--to-env <name>' not specified"],
    ['a backup without a name', ['backup'], "missing required argument 'path'"],
    ['a missing token', ['token', 'revoke'], "missing required argument 'tokenId'"],
  ];
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await stakegraphOfEach(
      uses.map(([, args]) => args),
      options(),
    );
  });

  slow('is refused the same in a process of its own', async () => {
    expect(await call(['migrat'])).toEqual(outcomes[0]);
  });

  it.each(uses)('%s exits with 2 and says what is wrong', (name, _args, message) => {
    const at = uses.findIndex(([each]) => each === name);
    const { code, stdout, stderr } = outcomes[at] as Outcome;
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('stakegraph migrate', () => {
  slow('names what it applied, and nothing the second time', async () => {
    const own = await createDatabase('empty');
    const sql = 'drop schema public cascade; create schema public';
    await own.pool.query({ text: sql, values: undefined as never });
    const env = { DATABASE_URL: own.url, MIGRATE: 'off' };
    const [first, second] = (await stakegraphOfEach([['migrate'], ['migrate']], { env })) as [
      Outcome,
      Outcome,
    ];
    await own.drop();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^applied 0077_baseline/);
    expect(second).toEqual({ code: 0, stdout: 'nothing to apply\n', stderr: '' });
  });
});

describe('stakegraph token', () => {
  slow(
    'prints a new token alone on standard output, lists it and revokes it, and exits with 1 for one that is not there',
    async () => {
      const created = await call(['token', 'create', '--name', 'partner', '--expires', '2099-12-31']);
      expect(created.code).toBe(0);
      expect(created.stdout).toMatch(/^sgt_[\w-]{49}\n$/);
      const [listed, none] = (await stakegraphOfEach(
        [
          ['token', 'list', '--json'],
          ['token', 'revoke', 'nobody'],
        ],
        options(),
      )) as [Outcome, Outcome];
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      expect(none).toMatchObject({
        code: 1,
        stderr: 'stakegraph: There is no active token "nobody"; see "stakegraph token list".\n',
      });
      expect(listed.stdout).not.toContain(created.stdout.trim());
      const [row] = JSON.parse(listed.stdout).filter((token: any) => token.name === 'partner');
      expect(row).toMatchObject({ expiresAt: '2099-12-31T00:00:00Z', revokedAt: null, lastUsedAt: null });
      const [revoked, again] = await stakegraphOfEach(
        [
          ['token', 'revoke', row.tokenId],
          ['token', 'list'],
        ],
        options(),
      );
      expect(revoked).toEqual({ code: 0, stdout: `revoked ${row.tokenId} (partner)\n`, stderr: '' });
      expect(again?.stdout).toMatch(
        new RegExp(`^${row.tokenId}  ${row.prefix}…  default  partner  revoked .*, never used\n`),
      );
    },
  );
});

describe('stakegraph import', () => {
  /** Each of these loads rows of its own. */
  const lists = {
    two: ['two.json'],
    bad: ['bad.json'],
    part: ['part.json', '--skip-invalid'],
    several: ['11.json', '12.json', '--skip-invalid', '--rejects', 'all.ndjson'],
    missing: ['none.json', 'nine.json'],
    hoodi: ['hoodi.ndjson', '--network', 'hoodi'],
  };
  const bad = slashing(8, { slashingPenalties: 7 });
  let outcomes: Record<keyof typeof lists, Outcome>;
  beforeAll(async () => {
    await file('two.json', JSON.stringify([slashing(1), slashing(2)]));
    await file('bad.json', JSON.stringify([slashing(5), slashing(6, { slashingEpoch: -1 })]));
    await file('part.json', JSON.stringify([slashing(7), bad]));
    for (const index of [11, 12])
      await file(`${index}.json`, JSON.stringify(slashing(index, { slashingPenalties: 7 })));
    await file('nine.json', JSON.stringify(slashing(9)));
    await file(
      'hoodi.ndjson',
      `${JSON.stringify(slashing(1))}\n${JSON.stringify(slashing(10, { network: 'mainnet' }))}`,
    );
    const all = await stakegraphOfEach(
      Object.values(lists).map((args) => ['import', 'slashings', ...args]),
      options(),
    );
    outcomes = Object.fromEntries(Object.keys(lists).map((name, at) => [name, all[at]])) as typeof outcomes;
  });

  it('tells what it loaded and exits with 0', async () => {
    expect(outcomes.two).toEqual({
      code: 0,
      stdout: 'two.json: 2 of 2 rows (2 new, 0 updated, 0 removed)\n',
      stderr: '',
    });
    expect(await stored()).toEqual(expect.arrayContaining([1, 2]));
  });

  slow('takes gzipped rows from standard input, in a process of its own', async () => {
    const input = gzipSync(`${JSON.stringify(slashing(3))}\n${JSON.stringify(slashing(4))}\n`);
    const { code, stdout } = await call(['import', 'slashings', '-'], input);
    expect(stdout).toBe('standard input: 2 of 2 rows (2 new, 0 updated, 0 removed)\n');
    expect(code).toBe(0);
    expect(await stored()).toEqual(expect.arrayContaining([3, 4]));
  });

  it('loads nothing of a file with a fault, names the fault and exits with 1', async () => {
    const { code, stdout, stderr } = outcomes.bad;
    expect(lines(stderr)).toEqual([
      expect.stringMatching(/^bad\.json, row 2, slashingEpoch: must be at least 0$/),
      'bad.json: nothing loaded; 1 of 2 rows are invalid (--skip-invalid loads the others)',
      'stakegraph: 1 of 1 files were not fully loaded.',
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(await stored()).not.toContain(5);
  });

  it('--skip-invalid loads the others, writes the rest beside the file and exits with 1', async () => {
    const { code, stdout, stderr } = outcomes.part;
    expect(stdout).toBe('part.json: 1 of 2 rows (1 new, 0 updated, 0 removed)\n');
    expect(stderr).toContain('part.json: 1 invalid rows were written to part.json.rejected.ndjson\n');
    expect(code).toBe(1);
    expect(await readFile(join(folder.path, 'part.json.rejected.ndjson'), 'utf8')).toBe(
      `${JSON.stringify(bad)}\n`,
    );
  });

  it('--rejects gathers the rows of several files in one', async () => {
    expect(outcomes.several.code).toBe(1);
    const rejected = lines(await readFile(join(folder.path, 'all.ndjson'), 'utf8'));
    expect(rejected.map((line) => JSON.parse(line).validatorIndex)).toEqual([11, 12]);
  });

  slow.each([
    ['its output', ''],
    ['all its output', '2>&1'],
  ])('loads all files if %s is closed early', async (_, errors) => {
    const names = [];
    for (const index of [21, 22, 23])
      names.push(await file(`${index}.json`, JSON.stringify([slashing(errors ? index + 10 : index)])));
    const faulty = await file('none-of-it.json', JSON.stringify([slashing(5, { slashingEpoch: -1 })]));
    const args = [process.execPath, main, 'import', 'slashings', faulty, ...names];
    const { code, stderr } = await run(
      '/bin/bash',
      ['--norc', '-c', `set -o pipefail; "$@" ${errors} | true`, 'bash', ...args],
      options(),
    );
    expect([code, stderr]).toEqual([
      1,
      errors ? '' : expect.stringMatching(/1 of 4 files were not fully loaded\.\n$/),
    ]);
    expect(await stored()).toEqual(expect.arrayContaining(errors ? [31, 32, 33] : [21, 22, 23]));
  });

  it('goes on with the other files after one that cannot be read', () => {
    const { code, stdout, stderr } = outcomes.missing;
    expect(stdout).toBe('nine.json: 1 of 1 rows (1 new, 0 updated, 0 removed)\n');
    expect(stderr).toMatch(
      /^none\.json: there is no such file\.\nstakegraph: 1 of 2 files were not fully loaded\.\n$/,
    );
    expect(code).toBe(1);
  });

  it('--network is the network of rows that name none', async () => {
    expect(outcomes.hoodi).toMatchObject({ code: 0 });
    const text = `select validator_index from slashings where network = 'hoodi'`;
    expect((await database.pool.query({ text, values: [] })).rows).toEqual([{ validator_index: 1 }]);
  });
});
