import { Command, Option } from 'commander';
import { readSettings, SettingsError } from '../config/index.ts';
import type { DistributeReport } from '../maintenance/distribute/index.ts';
import { wholeNumber } from './flags.ts';

type Flags = { shards?: number; dryRun?: boolean; undo?: boolean; json?: boolean };

const SHARDS = 32;

export const distributeCommand = (): Command =>
  new Command('distribute')
    .description('distribute days of validators over the workers of Citus, or undo that')
    .addOption(
      new Option('--shards <count>', `number of shards, from 1 to 1024 (default: ${SHARDS})`).argParser(
        wholeNumber(1, 1024),
      ),
    )
    .option('--undo', 'make all tables local again')
    .option('--dry-run', 'check what is required, and tell what would be done')
    .option('--json', 'report the result as a line of JSON')
    .addHelpText(
      'after',
      `
Distributes validator_days by validator index, and makes validators and validator_clients reference tables. All other tables
stay on the coordinator, which DATABASE_URL must name. Nothing else may be connected to it. All of it is one transaction,
which is undone if the number or a hash of rows differs afterwards; the local copies are then removed. Each step is reported
on standard error. If the command is stopped, run it again. When a distributed database is worth it, and what it cannot do:
docs/distributed.md.
Exit codes: 0 done, or nothing to do; 1 nothing was changed, or only the clean-up is left, which another run does;
2 wrong usage.`,
    )
    .action(async ({ shards, undo = false, dryRun = false, json = false }: Flags) => {
      if (undo && shards !== undefined)
        throw new SettingsError('--shards and --undo exclude each other: leave one out.');
      const url = readSettings().DATABASE_URL;
      if (url === undefined)
        throw new SettingsError(
          'The embedded PostgreSQL has no Citus: set DATABASE_URL to the coordinator of Citus.',
        );
      const { distribute } = await import('../maintenance/distribute/index.ts');
      const tell = (step: string) => process.stderr.write(`${new Date().toISOString()} ${step}\n`);
      const report = await distribute({ url, shards: shards ?? SHARDS, undo, dryRun, tell });
      process.stdout.write(`${json ? JSON.stringify(report) : textOf(report)}\n`);
    });

function textOf({ table, column, state, shards, months, rows, bytes, seconds, ...of }: DistributeReport) {
  const size = `${rows.toLocaleString('en')} rows in ${months} months, ${(bytes / 1e6).toFixed(1)} MB`;
  const over = `by ${column} in ${shards} shards on ${of.workers} workers of Citus ${of.citus}`;
  const took = `${seconds.moving} s to move, ${seconds.comparing} s to compare, ${seconds.cleaning} s to clean up`;
  const say = {
    distributed: () => `${table} is distributed${shards === undefined ? '' : ` ${over}`}: ${size}; ${took}.`,
    'made local': () => `${table} is local again: ${size}; ${took}.`,
    'would distribute': () =>
      shards === undefined
        ? `${table} is distributed and would stay so: ${size}. The other tables would be made reference tables.`
        : `${table} would be distributed ${over}: ${size}.`,
    'would make local': () => `${table} would be made local again: ${size}.`,
    unchanged: () => `${table} is unchanged: ${size}.`,
  };
  return say[state]();
}
