import type pg from 'pg';
import { lockWriters } from '../../db/changes/locks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import type { ImportCounts, Importer, MergeOptions } from '../importer/importer.ts';
import { refuseDropped } from './dropped-time.ts';
import { noteOrigins, type Origin, stagedDatasets } from './origins.ts';
import { openStaging, type StagedRow } from './staging.ts';

export async function loadRows<Row>(
  client: pg.ClientBase,
  importer: Importer<Row>,
  rows: Iterable<Row>,
  options: { replace: boolean; origin?: Origin } = { replace: false },
): Promise<ImportCounts & { rows: number }> {
  const staging = await openStaging(client, importer);
  let place = 0;
  let batch: StagedRow<Row>[] = [];
  for (const row of rows) {
    batch.push({ place: (place += 1), source: null, row });
    if (batch.length < 500) continue;
    await staging.write(batch);
    batch = [];
  }
  await staging.write(batch);
  await staging.finish();
  if (options.origin)
    await noteOrigins(client, await stagedDatasets(client, importer as Importer<unknown>), options.origin);
  return { ...(await mergeStaged(client, importer, options)), rows: place };
}

export async function mergeStaged<Row>(
  client: pg.ClientBase,
  importer: Importer<Row>,
  options: Omit<MergeOptions, 'revision'>,
) {
  // Merges of blocks also lock validators, because the triggers of each table read the other table.
  await lockWriters(client, [importer.resource, ...(importer.resource === 'blocks' ? ['validators'] : [])]);
  await refuseDropped(client, importer.resource);
  const revision = raisedRevision(client, importer.resource);
  const counts = await importer.merge(client, { ...options, revision });
  if (counts.inserted + counts.updated + counts.removed > 0) await revision();
  await client.query('/* dropStaging */ drop table staged');
  return counts;
}
