import type pg from 'pg';
import { dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raw, sql } from '../../db/rows.ts';
import { attestationImporter } from '../../ingest/attestations.ts';
import { entityPeriods, gatherMembers } from '../../ingest/refresh/attestations.ts';
import { run, writeSelected } from '../../ingest/refresh/write.ts';
import type { Period } from './periods.ts';
import { publishedTypes } from './publish.ts';
import type { Sums } from './sums.ts';
import { copyValidatorRows, type EndBalances } from './validator-rows.ts';

/** Creates the members of all entities, for `writeAttestationHour` in the same transaction. */
export async function prepareHours(client: pg.ClientBase, network: Network): Promise<void> {
  // As in a refresh: tables that grew in this transaction have the statistics of small ones.
  await client.query("/* hourPlans */ set local enable_nestloop = off; set local work_mem = '256MB'");
  await gatherMembers(client, network, publishedTypes);
}

/** Replaces the rows of an hour of all entities of the published classes. */
export async function writeAttestationHour(
  client: pg.ClientBase,
  network: Network,
  { utc, day, period: hour }: Period,
  sums: Sums,
  at: EndBalances,
): Promise<void> {
  await client.query('/* makeHour */ create temp table hour_rows (like validator_days) on commit drop');
  await copyValidatorRows(client, 'hour_rows', { network, utc, day }, sums, at);
  await client.query('/* analyzeHour */ analyze hour_rows');
  const date = dateOfDay(network, day);
  const importer: typeof attestationImporter = {
    ...attestationImporter,
    merge: async (_, options) => {
      const counts = await attestationImporter.merge(client, options);
      const removed = await run(
        client,
        sql`/* removeStaleHour */
        delete from attestation_hours t using attestation_entities e
        where t.utc = ${utc} and t.date = ${date}::date and t.hour = ${hour} and e.entity_key = t.entity_key
          and e.network = ${network} and e.id_type = any(${[...publishedTypes]}::text[])
          and not exists (select from staged s where s.id_type = e.id_type and s.entity_id = e.entity_id)`,
      );
      return { ...counts, removed: removed.rowCount ?? 0 };
    },
  };
  const selected = entityPeriods({ network, utc }, { hour: sql`${hour}::int`, rows: raw('hour_rows a') });
  await writeSelected(client, importer, selected, { replace: false });
  await client.query('/* dropHour */ drop table hour_rows');
}
