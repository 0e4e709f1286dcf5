#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { errorText } from './diagnostics/error-text.ts';
import { urlsOf } from './indexer/flags.ts';
import './commands/output.ts';
import { withDatabase } from './commands/with-database.ts';
import { readSettings, SettingsError, useConfigFile } from './config/index.ts';
import { version } from './kernel/version.ts';

const program = new Command('stakegraph')
  .description(
    'Performance, rewards and network statistics of proof-of-stake validators, over GraphQL and REST.',
  )
  .version(version)
  .addHelpText(
    'after',
    '\nSettings are environment variables, or lines of the file of --config or STAKEGRAPH_CONFIG: see docs/operations.md. Exit codes: 0 done, 1 failed, 2 wrong usage.',
  )
  .showHelpAfterError('(see --help)')
  .exitOverride();

program
  .command('serve')
  .description(
    'serve until SIGTERM or SIGINT, also when no command is given; without DATABASE_URL on an embedded PostgreSQL with sample data',
  )
  .option(
    '--index <urls>',
    'also index from these comma-separated beacon nodes, as INDEX=on does with BEACON_URL',
  )
  .action(async ({ index }: { index?: string }) => {
    const own = readSettings();
    const settings = index
      ? { ...own, INDEX: true, BEACON_URL: urlsOf('BEACON_URL', '--index', index) }
      : own;
    if (settings.METRICS_PORT && settings.METRICS_PORT === settings.PORT)
      throw new SettingsError(`METRICS_PORT is ${settings.METRICS_PORT}, like PORT; set another one.`);
    // Loaded lazily, because loading takes 0.5 s.
    await (await import('./gateway/serve.ts')).serve(settings);
  });

program
  .command('migrate')
  .description('apply missing migrations and print their names')
  .action(() =>
    withDatabase(
      async ({ applied }) => {
        const done = applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply';
        process.stdout.write(`${done}\n`);
      },
      { migrate: true, creates: true, graceful: true },
    ),
  );

const lazy = new Map<string, () => Promise<Command>>([
  ['import', async () => (await import('./commands/import.ts')).importCommand()],
  ['mirror', async () => (await import('./commands/mirror.ts')).mirrorCommand()],
  ['index', async () => (await import('./commands/index-chain.ts')).indexCommand()],
  ['refresh', async () => (await import('./commands/refresh.ts')).refreshCommand()],
  ['retain', async () => (await import('./commands/retain.ts')).retainCommand()],
  ['archive', async () => (await import('./commands/archive.ts')).archiveCommand()],
  ['repack', async () => (await import('./commands/repack.ts')).repackCommand()],
  ['status', async () => (await import('./commands/status.ts')).statusCommand()],
  ['open', async () => (await import('./commands/open.ts')).openCommand()],
  ['account', async () => (await import('./commands/account.ts')).accountCommand()],
  ['token', async () => (await import('./commands/token.ts')).tokenCommand()],
  ['usage', async () => (await import('./commands/usage.ts')).usageCommand()],
  ['copy-to', async () => (await import('./commands/copy-to.ts')).copyToCommand()],
  ['backup', async () => (await import('./commands/backup.ts')).backupCommand()],
  ['restore', async () => (await import('./commands/backup.ts')).restoreCommand()],
  ['audit', async () => (await import('./commands/audit.ts')).auditCommand()],
  ['distribute', async () => (await import('./commands/distribute.ts')).distributeCommand()],
]);
// not commander's default command, which would take a mistyped command as an argument
const own = ['-h', '--help', '-V', '--version'];
const [first = 'serve'] = process.argv.slice(2);
const args =
  first.startsWith('-') && !own.includes(first) ? ['serve', ...process.argv.slice(2)] : process.argv.slice(2);
if (args.length === 0) args.push('serve');
// Loading only the named command makes a start faster. Help and suggestions for a mistyped command need all.
const [named = ''] = args;
const isLoaded = program.commands.some((command) => command.name() === named);
for (const [name, load] of lazy)
  if (name === named || !(isLoaded || lazy.has(named))) program.addCommand(await load());
// commands added by addCommand do not inherit exitOverride
for (const command of program.commands) {
  command.exitOverride().showHelpAfterError('(see --help)');
  for (const inner of command.commands) inner.exitOverride();
  for (const each of command.commands.length > 0 ? command.commands : [command])
    each.option('--config <file>', 'file of settings; those of the environment have precedence');
}
program.hook('preAction', (_, command) => {
  const { config } = command.opts<{ config?: string }>();
  if (config !== undefined) useConfigFile(config);
});

try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed the reason
  process.stderr.write(`stakegraph: ${errorText(error)}\n`);
  return error instanceof SettingsError ? 2 : 1;
}
