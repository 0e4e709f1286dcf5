import type pg from 'pg';
import { dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { memberClasses } from '../../db/operator-members.ts';
import { sql } from '../../db/rows.ts';
import { computedAttestations } from '../../ingest/importers/attestations.ts';
import { attester } from '../../periods/effectiveness.ts';
import {
  addedUp,
  entityPeriods,
  gatherMembers,
  sumsOfEntities,
  sumsOfOwners,
} from '../../refresh/attestations.ts';
import { scaled } from '../../refresh/validators.ts';
import { run, writeSelected } from '../../refresh/write.ts';
import type { Period } from './periods.ts';
import type { Sums } from './sums.ts';
import { copyValidatorRows, type EndBalances } from './validator-rows.ts';

export async function writeAttestationHour(
  client: pg.ClientBase,
  network: Network,
  { utc, day, period: hour }: Pick<Period, 'utc' | 'day' | 'period'>,
  sums: Sums,
  at: EndBalances,
): Promise<void> {
  // Statistics of tables that just grew are outdated, and make the planner choose nested loops.
  await client.query("/* hourPlans */ set local enable_nestloop = off; set local work_mem = '256MB'");
  await client.query('/* makeHour */ create temp table hour_rows (like validator_days) on commit drop');
  await copyValidatorRows(client, 'hour_rows', { network, utc, day }, sums, at);
  await client.query('/* analyzeHour */ analyze hour_rows');
  await gatherHourOwners(client, network);
  const date = dateOfDay(network, day);
  const importer: typeof computedAttestations = {
    ...computedAttestations,
    merge: async (_, options) => {
      const counts = await computedAttestations.merge(client, options);
      const removed = await run(
        client,
        sql`/* removeStaleHour */
        delete from attestation_hours t using attestation_entities e
        where t.utc = ${utc} and t.date = ${date}::date and t.hour = ${hour} and e.entity_key = t.entity_key
          and e.network = ${network} and e.id_type = any(${[...memberClasses]}::text[])
          and not exists (select from staged s where s.id_type = e.id_type and s.entity_id = e.entity_id)`,
      );
      return { ...counts, removed: removed.rowCount ?? 0 };
    },
  };
  const hourOf = { hour: sql`${hour}::int`, sums: sumsOfEntities(addedUp, sql`hour_owners`) };
  const selected = entityPeriods({ network, utc }, hourOf);
  await writeSelected(client, importer, selected, { replace: false });
  await client.query(
    `/* dropHour */ drop table hour_rows, hour_owners, share_names, member_entities, members;
    set local enable_nestloop to default; set local work_mem to default`,
  );
}

/**
 * Adds up validators with the same addresses, node operator and pool, which leaves a tenth of the rows. If the name of
 * a pool share is ambiguous or too long, only pool shares are left out.
 */
async function gatherHourOwners(client: pg.ClientBase, network: Network): Promise<void> {
  await run(
    client,
    sql`/* hourOwners */
    create temp table hour_owners on commit drop as
    select row_number() over ()::int as owner, a.* from (${sumsOfOwners(
      sql`v.deposit_address, v.withdrawal_address, v.node_operator, v.pool`,
      addedUp,
      sql`(select a.*, ${scaled(attester)} as effectiveness from hour_rows a) a
        join validators v on v.network = ${network} and v.validator_index = a.validator_index`,
    )}) a`,
  );
  await client.query('/* analyzeOwners */ analyze hour_owners');
  try {
    await gatherMembers(client, network, memberClasses, 'hour_owners');
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error; // a database error
    await client.query('/* dropShares */ drop table share_names');
    const types = memberClasses.filter((type) => type !== 'poolShare');
    await gatherMembers(client, network, types, 'hour_owners');
  }
}
