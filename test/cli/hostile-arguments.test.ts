import type { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountCommand } from '../../src/commands/account.ts';
import { auditCommand } from '../../src/commands/audit.ts';
import { backupCommand, restoreCommand } from '../../src/commands/backup.ts';
import { copyToCommand } from '../../src/commands/copy-to.ts';
import { distributeCommand } from '../../src/commands/distribute.ts';
import { importCommand } from '../../src/commands/import.ts';
import { indexCommand } from '../../src/commands/index-chain.ts';
import { mirrorCommand } from '../../src/commands/mirror.ts';
import { openCommand } from '../../src/commands/open.ts';
import { refreshCommand } from '../../src/commands/refresh.ts';
import { repackCommand } from '../../src/commands/repack.ts';
import { retainCommand } from '../../src/commands/retain.ts';
import { tokenCommand } from '../../src/commands/token.ts';
import { usageCommand } from '../../src/commands/usage.ts';
import { texts } from '../support/hostile.ts';
import { makeDataDir, type Outcome, stakegraphOfEach } from '../support/process.ts';
import { every } from '../support/thorough.ts';

// No argument makes a command end in a stack trace: it says in a sentence what is wrong.

const folder = makeDataDir();
afterAll(() => folder.remove());

const commands = [
  ...[accountCommand, auditCommand, backupCommand, restoreCommand, copyToCommand, distributeCommand],
  ...[importCommand, indexCommand, mirrorCommand, openCommand, refreshCommand, repackCommand],
  ...[retainCommand, tokenCommand, usageCommand],
].map((make) => make());

/** What an argument of a process can be: no NUL, and no surrogate alone. */
const values = [
  ...texts.filter((text) => !/[\0\p{Cs}]/u.test(text)),
  ...[
    'x'.repeat(5_000),
    '\u0001',
    '\u001b[31m',
    'a\u2028b',
    '../../etc/passwd',
    '/dev/null/x',
    '--',
    '-',
    '__proto__',
  ],
  ...[
    '1;drop table accounts',
    '99999999999999999999',
    '1d',
    '0h',
    '1e400h',
    'http://[::',
    'http://x:99999',
    'postgres://\u0001',
  ],
];

type Leaf = { path: string[]; command: Command };
const leavesOf = (command: Command, path: string[] = []): Leaf[] => {
  const own = [...path, command.name()];
  return command.commands.length > 0
    ? command.commands.flatMap((inner) => leavesOf(inner, own))
    : [{ path: own, command }];
};

/** A valid value, for the other arguments that a command needs. */
const fitting = (choices: readonly string[] | undefined) => choices?.[0] ?? 'x';

const cases = commands
  .flatMap((command) => leavesOf(command))
  .flatMap(({ path, command }) => {
    const needed = command.registeredArguments.filter(({ required }) => required);
    const positional = needed.map(({ argChoices }) => fitting(argChoices));
    const mandatory = command.options
      .filter(({ mandatory }) => mandatory)
      .map((option) => [option, fitting(option.argChoices)] as const);
    const others = (but?: string) =>
      mandatory.flatMap(([{ long }, value]) => (long === but ? [] : [`${long}=${value}`]));
    const options = command.options.filter(({ required, optional }) => required || optional);
    return [
      ...options.map(({ long }) => ({
        name: [...path, long].join(' '),
        of: (value: string) => [...path, ...others(long), `${long}=${value}`, ...positional],
      })),
      ...command.registeredArguments.map((_, at) => ({
        name: [...path, `argument ${at + 1}`].join(' '),
        of: (value: string) => [
          ...path,
          ...others(),
          '--',
          ...positional.slice(0, at),
          value,
          ...positional.slice(at + 1),
        ],
      })),
    ];
  });
/** Each argument is tried with a part of the values, the next argument with the next part. */
const runs = cases.flatMap(({ name, of }, at) =>
  every(10, values, at).map((value) => ({ name, value, args: of(value) })),
);

/** The longest text that a process takes as an argument. */
const MOST = 60_000;
const outcomes: Outcome[] = [];
beforeAll(async () => {
  const parts: string[][][] = [[]];
  for (const { args } of runs) {
    if (JSON.stringify([...(parts.at(-1) as string[][]), args]).length > MOST) parts.push([]);
    parts.at(-1)?.push(args);
  }
  // Nobody listens there, so that a command with valid arguments ends when it connects.
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', BEACON_URL: 'http://127.0.0.1:1' };
  for (const part of parts) outcomes.push(...(await stakegraphOfEach(part, { env, cwd: folder.path })));
});

it('every option and argument is found', () => {
  expect(cases.length).toBeGreaterThan(40);
});

const STACK = /\n\s+at |node:internal|TypeError|RangeError|SyntaxError|is not a function|undefined|\[object /;

it('every value is refused or taken, and never ends in a stack trace', () => {
  const wrong = runs.flatMap(({ name, value }, at) => {
    const { code, stdout, stderr } = outcomes[at] as Outcome;
    const lines = stderr.split('\n').filter((line) => line && !line.startsWith('(see --help)'));
    const isTold = code !== null && [1, 2].includes(code) && lines.length > 0 && !STACK.test(stdout + stderr);
    return isTold ? [] : [{ name, value: value.slice(0, 60), code, stderr: stderr.slice(0, 300) }];
  });
  expect(wrong).toEqual([]);
});
