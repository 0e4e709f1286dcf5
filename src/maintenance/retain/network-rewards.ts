import type pg from 'pg';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import type { Queryable } from '../../db/pool.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import { dropInSteps, keptDate, type Run, reporting } from './dropping.ts';
import { noteKept } from './parts.ts';

const dataset = 'network-rewards';

/** Deletes daily rewards of validators of other networks. Those of each network as a whole stay. */
export async function retainNetworkRewards(run: Run, days: number): Promise<void> {
  const about = { dataset, table: dataset, rows: 0, bytes: 0, seconds: 0 } as const;
  let any = false;
  for (const network of rewardsNetworks) {
    const newest = await newestDay(run.pool, network);
    if (!newest || run.stop.aborted) continue;
    any = true;
    const before = keptDate(days, run.now ?? new Date(), newest);
    const old = await daysBefore(run.pool, network, before);
    const what = { ...about, table: tableOf(network), network, before, ...old };
    if (old.rows === 0) run.tell({ ...what, state: 'nothing' });
    else if (run.dryRun) run.tell({ ...what, state: 'would drop' });
    else {
      const locks = { datasets: [`${network}-rewards`], of: [] };
      await reporting(run, what, async () => ({
        rows: await dropInSteps(run, what, locks, (client) => dropOldest(client, network, before)),
      }));
    }
  }
  if (!any && !run.stop.aborted) run.tell({ ...about, state: 'nothing' });
}

const tableOf = (network: RewardsNetwork) => `${network}_validator_rewards`;

async function newestDay(db: Queryable, network: RewardsNetwork): Promise<string | undefined> {
  const text = `/* newestRewards */ select max(day)::text as day from ${tableOf(network)}`;
  return ((await db.query({ text, values: [] })).rows[0]?.day as string | null) ?? undefined;
}

/** `bytes` is the share of these rows in the size of the table. */
async function daysBefore(
  db: Queryable,
  network: RewardsNetwork,
  before: string,
): Promise<{ rows: number; bytes: number; from: string | undefined }> {
  const table = tableOf(network);
  const { rows } = await db.query({
    text: `/* rewardsBefore */
      select old::float8 as rows, first::text as "from", round(pg_total_relation_size('${table}') * old / greatest(total, 1))::float8 as bytes
      from (
        select count(*) as total, count(*) filter (where day < $1::date) as old, min(day) as first from ${table}
      ) c`,
    values: [before],
  });
  return rows[0] as { rows: number; bytes: number; from: string | undefined };
}

/** Deletes the oldest month, up to `before`; returns the number of rows. Call under the lock of its writers. */
async function dropOldest(client: pg.ClientBase, network: RewardsNetwork, before: string): Promise<number> {
  const { rowCount } = await client.query(
    `/* dropOldRewards */ delete from ${tableOf(network)} where day < least($1::date, (
      select date_trunc('month', min(day)::timestamp) + interval '1 month' from ${tableOf(network)}))`,
    [before],
  );
  const rows = rowCount ?? 0;
  if (rows === 0) return 0;
  await noteKept(client, dataset, [network], before);
  await raisedRevision(client, `${network}-rewards`)();
  await audit(client, { action: 'retain', subject: tableOf(network), details: { network, before, rows } });
  return rows;
}
