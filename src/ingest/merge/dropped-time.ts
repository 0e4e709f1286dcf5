import type pg from 'pg';
import { dateOfDay, dayOfEpoch, SECONDS_PER_SLOT } from '../../chain/calendar.ts';
import { genesisTime, type Network } from '../../chain/networks.ts';
import type { Retainable } from '../../config/ages.ts';
import { spanParts } from '../../db/epoch-spans.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';

/** The first slot that begins on this date or later. */
export const firstSlotOn = (network: Network, date: string): number =>
  Math.max(0, Math.ceil((Date.parse(date) / 1000 - genesisTime[network]) / SECONDS_PER_SLOT));

export async function firstKeptSlot(client: pg.ClientBase, network: Network): Promise<number> {
  const { rows } = await client.query<{ date: string }>(
    `/* keptBlocks */ select date::text as date from kept_from where dataset = 'blocks' and network = $1`,
    [network],
  );
  return rows[0] ? firstSlotOn(network, rows[0].date) : 0;
}

type Guarded = { dataset: Retainable; rows: string; bySlot?: boolean };
/** `$2` is the first date or slot that is kept. */
const guarded: Record<string, readonly Guarded[]> = {
  'validator-days': [{ dataset: 'validator-days', rows: 's.date < $2::date' }],
  attestations: [
    { dataset: 'attestation-days', rows: 's.hour is null and s.date < $2::date' },
    { dataset: 'attestation-hours', rows: 's.hour is not null and s.date < $2::date' },
  ],
  blocks: [{ dataset: 'blocks', rows: 's.slot < $2::int', bySlot: true }],
  'sync-committee-rewards': [
    { dataset: 'sync-committee-rewards', rows: 's.consensus_slot < $2::int', bySlot: true },
  ],
};

export class DroppedTimeError extends Error {}

/** Call under the lock of the dataset, which `retain` takes too. Throws a DroppedTimeError. */
export async function refuseDropped(client: pg.ClientBase, resource: string): Promise<void> {
  if (resource === 'solana-stake-authority-epochs') return refuseDroppedSpans(client);
  const rewarded = rewardsNetworks.find((network) => resource === `${network}-rewards`);
  if (rewarded) return refuseDroppedRewards(client, rewarded);
  const checks = guarded[resource];
  if (!checks) return;
  if (resource === 'validator-days') await refuseArchived(client);
  const { rows: kept } = await client.query<{ dataset: Retainable; network: Network; date: string }>(
    `/* keptFrom */ select dataset, network, date::text as date from kept_from
    where dataset = any($1::text[]) order by dataset, network`,
    [checks.map(({ dataset }) => dataset)],
  );
  for (const { dataset, network, date } of kept) {
    const check = checks.find((one) => one.dataset === dataset) as Guarded;
    const { rows } = await client.query<{ count: string }>(
      `/* stagedDropped */ select count(*) as count from staged s where s.network = $1 and ${check.rows}`,
      [network, check.bySlot ? firstSlotOn(network, date) : date],
    );
    if (rows[0]?.count === '0') continue;
    throw new DroppedTimeError(
      `${rows[0]?.count} of the ${resource} of ${network} are before ${date}, and stakegraph retain has dropped ${dataset} before that date. Leave them out.`,
    );
  }
}

const remedy =
  'run "stakegraph archive restore" with that month first, and archive it again afterwards, or leave them out.';

async function refuseArchived(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ count: string; network: string; month: string; path: string }>(
    `/* stagedArchived */ select count(*) as count, m.network, to_char(m.month, 'YYYY-MM') as month,
      m.folder || '/' || m.file as path
    from archived_months m join staged s
      on s.network = m.network and s.date >= m.month and s.date < (m.month + interval '1 month')::date
    group by m.network, m.month order by m.month limit 1`,
  );
  const [found] = rows;
  if (found)
    throw new DroppedTimeError(
      `${found.count} of the validator-days of ${found.network} are in ${found.month}, which is archived in ${found.path}: ${remedy}`,
    );
}

/** The oldest spans are dropped first, so the first one that is left shows which are gone. */
async function refuseDroppedSpans(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ count: string; first: number }>(
    `/* stagedDroppedSpans */
    select (select count(*) from staged s where s.epoch < p.first) as count, p.first
    from (select min(first) as first from ${spanParts.sql} parts) p
    where exists (select from kept_from where dataset = 'solana-stake-authority-epochs')`,
  );
  const [found] = rows;
  if (!found || found.count === '0') return;
  throw new DroppedTimeError(
    `${found.count} of the solana-stake-authority-epochs are before epoch ${found.first}, and stakegraph retain has dropped those epochs. Leave them out.`,
  );
}

async function refuseDroppedRewards(client: pg.ClientBase, network: RewardsNetwork): Promise<void> {
  const { rows } = await client.query<{ date: string; count: string }>(
    `/* stagedDroppedRewards */ select k.date::text as date,
      (select count(*) from staged s where s.kind = 'validator' and s.day < k.date) as count
    from kept_from k where k.dataset = 'network-rewards' and k.network = $1`,
    [network],
  );
  const [kept] = rows;
  if (!kept || kept.count === '0') return;
  throw new DroppedTimeError(
    `${kept.count} of the ${network}-rewards of validators are before ${kept.date}, and stakegraph retain has dropped network-rewards before that date. Leave them out.`,
  );
}

/** Certain only under the lock of the indexed network, which `retain` takes too. Throws a DroppedTimeError. */
export async function refuseDroppedEpoch(
  client: pg.ClientBase,
  network: Network,
  epoch: number,
): Promise<void> {
  const date = dateOfDay(network, dayOfEpoch(network, 'chain', epoch));
  const { rows } = await client.query<{ dataset: string; date: string }>(
    `/* droppedAfter */ select dataset, date::text as date from kept_from
    where network = $1 and date > $2::date and dataset <> 'operator-history' order by date desc limit 1`,
    [network, date],
  );
  const { rows: archived } = await client.query<{ before: string }>(
    `/* archivedAfter */ select max((month + interval '1 month')::date)::text as before from archived_months
    where network = $1 and month > $2::date - interval '1 month'`,
    [network, date],
  );
  const before = archived[0]?.before;
  if (before)
    throw new DroppedTimeError(
      `Epoch ${epoch} of ${network} is of ${date}, and validator-days are archived before ${before}: begin there or later with --from, or run "stakegraph archive restore" with those months first.`,
    );
  if (!rows[0]) return;
  throw new DroppedTimeError(
    `Epoch ${epoch} of ${network} is of ${date}, and stakegraph retain has dropped ${rows[0].dataset} before ${rows[0].date}: begin there or later with --from.`,
  );
}
