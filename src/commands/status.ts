import { Command } from 'commander';
import { pino } from 'pino';
import { networks } from '../chain/networks.ts';
import { type Newest, newestPositions } from '../db/changes/newest.ts';
import { type ListedDataset, listDatasets } from '../db/changes/revisions.ts';
import { committedMigrations } from '../db/migrate/index.ts';
import type { Database } from '../db/open/index.ts';
import { readinessOf } from '../gateway/readiness.ts';
import { type Indexed, serviceStatus } from '../http/metrics/health.ts';
import { timestampText } from '../kernel/time.ts';
import { version } from '../kernel/version.ts';
import { shortTime } from './index-progress.ts';
import { withDatabase } from './with-database.ts';

/** An index that keeps up is 20 to 35 minutes behind. */
const LATE_SECONDS = 3_600;

export const statusCommand = (): Command =>
  new Command('status')
    .description('show whether the database can serve, how new its datasets are, and how far its indexes are')
    .option('--json', 'as an object of JSON')
    .addHelpText(
      'after',
      `
The status, its reason and the indexes are those of /ready of a gateway on the same database.
Exit codes: 0 ready, whatever the warnings; 1 not ready or degraded, such as a week before a fork that this version does not
know, or the database cannot be read or lacks a migration; 2 wrong usage.`,
    )
    .action((flags: { json?: boolean }) =>
      withDatabase(async (database) => {
        const found = await statusOfDatabase(database);
        process.stdout.write(flags.json ? `${JSON.stringify(found)}\n` : textOf(found));
        if (found.status !== 'ready') process.exitCode = 1;
      }),
    );

async function statusOfDatabase({ read, primary }: Database) {
  const readiness = await readinessOf({ read, primary }, pino({ level: 'silent' }))();
  const datasets = await listDatasets(read);
  const newest = await newestPositions(read, networks);
  const { index = [], ...status } = serviceStatus(readiness);
  return {
    ...{ version, migration: (await committedMigrations()).at(-1) },
    ...status,
    warnings: index.flatMap(warningsOf),
    index,
    datasets: datasets.map((dataset) => datasetOf(dataset, newest)),
  };
}

function warningsOf({ network, indexedEpoch, behindSeconds, unknownFork, missing = [] }: Indexed): string[] {
  const found = missing.map(
    ({ firstEpoch, lastEpoch }) =>
      `${network}: epochs ${firstEpoch} to ${lastEpoch} were left out; docs/index-from-your-node.md tells how to add them`,
  );
  if (unknownFork)
    found.unshift(
      `${network}: figures end with epoch ${unknownFork.lastEpoch}, because this version does not know the fork ${unknownFork.name} (epoch ${unknownFork.epoch}, ${unknownFork.time}); update stakegraph`,
    );
  if (behindSeconds > LATE_SECONDS)
    found.unshift(
      `${network}: epoch ${indexedEpoch} is the newest, and ended ${shortTime(behindSeconds)} ago`,
    );
  return found;
}

function datasetOf({ name, revision, refreshedAt, origins }: ListedDataset, newest: readonly Newest[]) {
  return {
    ...{ name, revision, refreshedAt, origins },
    newest: newest
      .filter(({ dataset }) => dataset === name)
      .map(({ network, unit, position }) => ({
        network,
        [unit]: unit === 'date' ? timestampText(position).slice(0, 10) : position,
      })),
  };
}

function textOf(found: Awaited<ReturnType<typeof statusOfDatabase>>): string {
  const { status, reason, warnings, index, datasets } = found;
  const lines = [
    `stakegraph ${found.version}, migration ${found.migration}`,
    `status   ${status}${reason === undefined ? '' : `: ${reason}`}`,
    ...index.map(
      ({ network, indexedEpoch, behindSeconds }) =>
        `index    ${network}: epoch ${indexedEpoch}, which ended ${shortTime(behindSeconds)} ago`,
    ),
    ...warnings.map((warning) => `warning  ${warning}`),
  ];
  for (const { name, refreshedAt, newest } of datasets)
    lines.push(
      `dataset  ${name}, changed ${refreshedAt}${newest
        .map(({ network, ...position }) => `; ${network}: ${Object.entries(position).flat().join(' ')}`)
        .join('')}`,
    );
  return `${lines.join('\n')}\n`;
}
