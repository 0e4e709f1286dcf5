#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { accountCommand } from './commands/account.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand, restoreCommand } from './commands/backup.ts';
import { copyToCommand } from './commands/copy-to.ts';
import { distributeCommand } from './commands/distribute.ts';
import { importCommand } from './commands/import.ts';
import { indexCommand } from './commands/index-chain.ts';
import { urlsOf } from './commands/index-flags.ts';
import { mirrorCommand } from './commands/mirror.ts';
import { openCommand } from './commands/open.ts';
import './commands/output.ts';
import { refreshCommand } from './commands/refresh.ts';
import { repackCommand } from './commands/repack.ts';
import { retainCommand } from './commands/retain.ts';
import { tokenCommand } from './commands/token.ts';
import { usageCommand } from './commands/usage.ts';
import { withDatabase } from './commands/with-database.ts';
import { readSettings, SettingsError, useConfigFile } from './config.ts';
import { version } from './version.ts';

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
    // Loaded lazily, because loading takes 0.5 s.
    await (await import('./serve.ts')).serve(settings);
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
      { migrate: true, creates: true },
    ),
  );

program.addCommand(importCommand());
program.addCommand(mirrorCommand());
program.addCommand(indexCommand());
program.addCommand(refreshCommand());
program.addCommand(retainCommand());
program.addCommand(repackCommand());
program.addCommand(openCommand());
program.addCommand(accountCommand());
program.addCommand(tokenCommand());
program.addCommand(usageCommand());
program.addCommand(copyToCommand());
program.addCommand(backupCommand());
program.addCommand(restoreCommand());
program.addCommand(auditCommand());
program.addCommand(distributeCommand());
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
  // not commander's default command, which would take a mistyped command as an argument
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']);
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed the reason
  process.stderr.write(`stakegraph: ${(error as Error).message}\n`);
  return error instanceof SettingsError ? 2 : 1;
}
