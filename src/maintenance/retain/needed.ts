import type pg from 'pg';
import { type Network, networks } from '../../chain/networks.ts';
import { computesRewards } from '../../refresh/chain-rewards.ts';
import { DAYS_AT_ONCE } from '../../refresh/due-days.ts';

export type StoredPart = { part: string; from: string; before: string; rows: number; bytes: number };

/** What a refresh has not computed from a month of days of validators yet. Call in a transaction. */
export async function whyNeeded(client: pg.ClientBase, part: StoredPart): Promise<string | undefined> {
  if (await needsSetDays(client, part))
    return 'days of this month are not summed yet for a private set that has been given many validators: run a gateway until that is done.';
  const unsummed: Network[] = [];
  for (const network of networks) if (await needsSums(client, network, part)) unsummed.push(network);
  if (unsummed.length > 0)
    return `the window all of ${unsummed.join(', ')} does not have the sums of this month yet: run stakegraph refresh --windows all first.`;
  const due = await dueOf(client, part);
  if (due.length > 0)
    return `${due.join(' and ')} of this month are not computed yet: run stakegraph refresh first.`;
  return undefined;
}

async function needsSetDays(client: pg.ClientBase, { from }: StoredPart): Promise<boolean> {
  const { rows } = await client.query(
    '/* unsummedSets */ select 1 from private_sets where complete_from > $1::date limit 1',
    [from],
  );
  return rows.length > 0;
}

async function needsSums(
  client: pg.ClientBase,
  network: Network,
  { part, from }: StoredPart,
): Promise<boolean> {
  const { rows: sums } = await client.query(
    `/* summedMonth */ select from validator_months where network = $1 and month = $2::date and not due`,
    [network, from],
  );
  if (sums.length > 0) return false;
  const { rows: days } = await client.query(
    `/* anyChainDay */ select 1 from "${part}" where network = $1 and not utc limit 1`,
    [network],
  );
  return days.length > 0;
}

type Due = { network: Network; utc: boolean; attestations: string[]; rewards: string[] };

/** Ignores days that stay due after a refresh. */
async function dueOf(client: pg.ClientBase, { part, from, before }: StoredPart): Promise<string[]> {
  const { rows } = await client.query<Due>(
    `/* dueOfPart */
    select d.network, d.utc,
      coalesce(array_agg(d.date::text) filter (where d.attestations_due and d.date >= coalesce(k.date, d.date)), '{}') as attestations,
      coalesce(array_agg(d.date::text order by d.date) filter (where d.rewards_due and not d.utc), '{}') as rewards
    from validator_day_dates d
    left join kept_from k on k.dataset = 'attestation-days' and k.network = d.network
    where d.date >= $1::date and d.date < $2::date and (d.attestations_due or d.rewards_due)
    group by d.network, d.utc order by d.network, d.utc`,
    [from, before],
  );
  const due = new Set<string>();
  for (const { network, utc, attestations, rewards } of rows) {
    const { rows: members } = await client.query(
      `/* anyMember */ select 1 from "${part}" a join validators v on v.network = a.network and v.validator_index = a.validator_index
      where a.network = $1 and a.utc = $2 and a.date = any($3::date[])
        and coalesce(v.deposit_address, v.withdrawal_address, v.node_operator, v.pool) is not null limit 1`,
      [network, utc, attestations],
    );
    if (members.length > 0) due.add(`attestations of ${network}`);
    for (let at = 0; at < rewards.length && !due.has(`chain daily rewards of ${network}`); at += DAYS_AT_ONCE)
      if (await computesRewards(client, network, rewards.slice(at, at + DAYS_AT_ONCE)))
        due.add(`chain daily rewards of ${network}`);
  }
  return [...due];
}
