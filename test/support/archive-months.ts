import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { networks } from '../../src/chain/networks.ts';
import { type Pool, transaction } from '../../src/db/pool.ts';
import { addFeesOfMonth } from '../../src/indexer/store/restored-fees.ts';
import { sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { restoreMonth } from '../../src/maintenance/archive/restore.ts';
import { retain } from '../../src/maintenance/retain/index.ts';
import { completeSets, sumOlderDays } from '../../src/resources/private-sets/set-days.ts';

/** Archives every month of stored days but the newest, as far as they can be dropped. */
export async function archiveMonths(pool: Pool): Promise<void> {
  const run = async <Row>(text: string) => (await pool.query({ text, values: [] })).rows as Row[];
  const [stored] = await run<{ name: string; months: number }>(`
    select current_database() as name, count(distinct date_trunc('month', date))::int as months from validator_day_dates`);
  if (!stored || stored.months < 2) return;
  await run('update validator_day_dates set attestations_due = false, rewards_due = false');
  for (const network of networks) while (await transaction(pool, (client) => sumDueMonth(client, network)));
  const folder = join(inject('runFolder'), `archive-${stored.name}`);
  mkdirSync(folder, { recursive: true });
  await retain(pool, { ages: { 'validator-days': 1 }, dryRun: false, archive: folder }, (report) => {
    if (report.state === 'failed') throw new Error(report.error);
  });
}

/** Moves all archived months back, as is done before later days of theirs are imported. */
export async function restoreMonths(pool: Pool): Promise<void> {
  const text = `select distinct to_char(month, 'YYYY-MM') as month from archived_months`;
  for (const { month } of (await pool.query({ text, values: [] })).rows)
    await restoreMonth(pool, String(month), () => undefined, addFeesOfMonth);
}

/** What gateways do in the background once a request has changed a private set. */
export async function sumAllOlderDays(pool: Pool): Promise<void> {
  while ((await transaction(pool, sumOlderDays)) === 'summed') await transaction(pool, completeSets);
}
