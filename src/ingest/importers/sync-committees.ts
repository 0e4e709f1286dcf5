import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';

/** Element n of each array belongs to the seat of rank n: its place in the order by validator and position. */
export type SlotRewards = {
  slot: number;
  validators: readonly number[];
  positions: readonly number[];
  rewards: readonly (number | string)[];
};

const array = (values: readonly unknown[]) => `{${values.join(',')}}`;

async function committeesOf(
  client: pg.ClientBase,
  network: Network,
  slots: readonly SlotRewards[],
): Promise<number[]> {
  const places = new Map<string, { validators: string; positions: string; place: number }>();
  const placeOf = slots.map((slot) => {
    const [validators, positions] = [array(slot.validators), array(slot.positions)];
    const key = `${validators}${positions}`;
    const known = places.get(key);
    if (known) return known.place;
    const place = places.size;
    places.set(key, { validators, positions, place });
    return place;
  });
  const distinct = [...places.values()];
  const { rows } = await client.query<{ committee: number }>(
    `/* storeSyncCommittees */
    select sync_committee($1, c.validators::int[], c.positions::smallint[]) as committee
    from unnest($2::text[], $3::text[]) with ordinality as c (validators, positions, n) order by c.n`,
    [network, distinct.map((one) => one.validators), distinct.map((one) => one.positions)],
  );
  return placeOf.map((place) => (rows[place] as { committee: number }).committee);
}

/** Returns how many slots changed. */
export async function writeSlots(
  client: pg.ClientBase,
  network: Network,
  slots: readonly SlotRewards[],
): Promise<number> {
  if (slots.length === 0) return 0;
  const committees = await committeesOf(client, network, slots);
  const { rowCount } = await client.query(
    `/* writeSyncCommitteeSlots */
    insert into sync_committee_slots as s (network, slot, committee, rewards)
    select $1, given.slot, given.committee, given.rewards::bigint[]
    from unnest($2::int[], $3::int[], $4::text[]) as given (slot, committee, rewards)
    on conflict (network, slot) do update set (committee, rewards) = (excluded.committee, excluded.rewards)
    where (s.committee, s.rewards) is distinct from (excluded.committee, excluded.rewards)`,
    [network, slots.map(({ slot }) => slot), committees, slots.map(({ rewards }) => array(rewards))],
  );
  return rowCount ?? 0;
}

/** The lock waits for transactions that are about to use a committee; the second statement sees what they wrote. */
export async function removeUnusedCommittees(
  client: pg.ClientBase,
  committees: Iterable<number>,
): Promise<void> {
  const keys = [...committees];
  if (keys.length === 0) return;
  await client.query(
    `/* lockSyncCommittees */
    select from sync_committees c where c.committee = any($1::int[])
      and not exists (select from sync_committee_slots s where s.committee = c.committee)
    order by c.committee for update`,
    [keys],
  );
  await client.query(
    `/* removeSyncCommittees */
    delete from sync_committees c where c.committee = any($1::int[])
      and not exists (select from sync_committee_slots s where s.committee = c.committee)`,
    [keys],
  );
}
