import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { momentText, queryOf, raw, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type DirectedRange, keysOfPage, rowsToRead } from '../../kernel/page.ts';
import type { ValidatorName } from '../validators/record.ts';
import { PrivateSet, SetMember, setFields } from './record.ts';

/** `at`: creation time, microseconds since 1970. */
export type SetPlace = { at: number; id: string };
export type SetRow = PrivateSet & { at: number };
export type MemberKey = { setId: string; validatorIndex: number };
export type MemberRow = SetMember & MemberKey & { network: Network };

const at = sql`(extract(epoch from s.created_at) * 1000000)::bigint`;
const progress = sql`case when s.complete_from > '-infinity' then (
    select json_build_object('completeFrom', s.complete_from::text,
      'share', trunc(1 - sum(m.members * d.older) / sum(m.members * d.stored), 4)::float8)
    from (
      select summed_from, count(*) as members from private_set_members where set_id = s.set_id group by summed_from
    ) m
    cross join lateral (
      select count(distinct date) filter (where date < m.summed_from) as older, greatest(count(distinct date), 1) as stored
      from (
        select date from validator_day_dates where network = s.network
        union all select date from archived_day_dates where network = s.network
      ) d
    ) d
  ) end`;
const fields = {
  id: sql`s.set_id::text`,
  name: sql`s.name`,
  network: sql`s.network`,
  organizationId: sql`s.account_id::text`,
  createdBy: sql`s.created_by`,
  createdAt: momentText(sql`s.created_at`),
  updatedAt: momentText(sql`s.updated_at`),
  progress,
};
const select = sql`${selectList(fields, setFields)}, ${at}::float8 as at`;
/** A new set has no validators. */
const selectNew = sql`${selectList({ ...fields, progress: sql`null::json` }, setFields)}, ${at}::float8 as at`;
const Row = PrivateSet.extend({ at: z.number() });

const beyond = (place: SetPlace | undefined, than: Sql) =>
  place
    ? sql`and (s.created_at, s.set_id)
        ${than} (timestamptz 'epoch' + ${place.at}::bigint * interval '1 microsecond', ${place.id}::uuid)`
    : sql``;

export const setPage = queryOf(Row, (accountId: string, network: Network, range: DirectedRange<SetPlace>) => {
  const { above, below, direction } = keysOfPage(range);
  const order = raw(direction);
  return sql`/* setPage */
    select ${select} from private_sets s
    where s.account_id = ${accountId} and s.network = ${network}
      ${beyond(above, sql`>`)} ${beyond(below, sql`<`)}
    order by s.created_at ${order}, s.set_id ${order} limit ${rowsToRead(range)} offset ${range.offset ?? 0}`;
});

export const setTotal = totalBy(
  (accountId: string, network: Network | null) => sql`/* setTotal */
    select count(*)::int as total from private_sets
    where account_id = ${accountId} and (${network}::text is null or network = ${network})`,
);

export const setsById = queryOf(
  Row,
  (accountId: string, ids: readonly string[]) => sql`/* setsById */
    select ${select} from private_sets s where s.account_id = ${accountId} and s.set_id = any(${[...ids]}::uuid[])`,
);

/** Number of changes of a set of any owner. Undefined if the set does not exist. */
export async function setRevision(db: Queryable, id: string): Promise<number | undefined> {
  const [found] = await rows(
    db,
    z.object({ revision: Leaf.count() }),
    sql`/* setRevision */ select revision from private_sets where set_id = ${id}::uuid`,
  );
  return found?.revision;
}

export const lockAccount = queryOf(
  z.object({}),
  (accountId: string) =>
    sql`/* lockAccount */ select from accounts where account_id = ${accountId} for no key update`,
);

export async function insertSet(
  db: Queryable,
  set: { accountId: string; network: Network; name: string; createdBy: string; now: Date },
): Promise<SetRow> {
  const made = await rows(
    db,
    Row,
    sql`/* insertSet */
    insert into private_sets as s (account_id, network, name, created_by, created_at, updated_at)
    values (${set.accountId}, ${set.network}, ${set.name}, ${set.createdBy}, ${set.now}, ${set.now})
    returning ${selectNew}`,
  );
  return made[0] as SetRow;
}

/** Also locks the set until the transaction ends. */
export async function touchSet(
  db: Queryable,
  accountId: string,
  id: string,
  change: { now: Date; name?: string },
): Promise<SetRow | undefined> {
  const [row] = await rows(
    db,
    Row,
    sql`/* touchSet */
    update private_sets s set updated_at = ${change.now}, name = coalesce(${change.name ?? null}, s.name)
    where s.account_id = ${accountId} and s.set_id = ${id}::uuid returning ${select}`,
  );
  return row;
}

/** Also deletes the members and figures of the set. */
export async function deleteSetRow(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const removed = await rows(
    db,
    z.object({ yes: z.literal(1) }),
    sql`/* deleteSet */
    delete from private_sets where account_id = ${accountId} and set_id = ${id}::uuid returning 1 as yes`,
  );
  return removed.length > 0;
}

const Found = z.object({ place: z.int(), validatorIndex: z.int(), validatorPubkey: z.string() });
export type FoundValidator = z.infer<typeof Found>;

/** Omits unknown validators. `place` is the 0-based position in `references`. */
export const knownValidators = queryOf(
  Found,
  (network: Network, references: readonly ValidatorName[]) => sql`/* knownValidators */
    with given as (
      select validator_index, validator_pubkey, place::int - 1 as place from unnest(
        ${references.map((one) => ('index' in one ? one.index : null))}::int[],
        ${references.map((one) => ('pubkey' in one ? one.pubkey : null))}::text[]
      ) with ordinality as g (validator_index, validator_pubkey, place)
    )
    select g.place, v.validator_index as "validatorIndex", v.validator_pubkey as "validatorPubkey"
    from given g join validators v on v.network = ${network} and v.validator_index = g.validator_index
    union all
    select g.place, v.validator_index, v.validator_pubkey
    from given g join validators v on v.network = ${network} and v.validator_pubkey = g.validator_pubkey`,
);

const Added = z.object({ validatorIndex: z.int(), validatorPubkey: z.string() });

export const insertMembers = queryOf(
  Added,
  (setId: string, validators: readonly Omit<FoundValidator, 'place'>[], now: Date) => sql`/* insertMembers */
    with added as (
      insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select distinct on (g.validator_index) ${setId}::uuid, g.validator_index, g.validator_pubkey, ${now}::timestamptz,
        case when exists (
          select from private_set_members o where o.set_id = ${setId}::uuid and o.validator_index = g.validator_index
        ) then (${now}::timestamptz at time zone 'UTC')::date else '-infinity' end
      from unnest(
        ${validators.map((one) => one.validatorIndex)}::int[], ${validators.map((one) => one.validatorPubkey)}::text[]
      ) as g (validator_index, validator_pubkey)
      where not exists (
        select from private_set_members m
        where m.set_id = ${setId}::uuid and m.validator_index = g.validator_index and m.removed_at is null
      )
      returning validator_index as "validatorIndex", validator_pubkey as "validatorPubkey"
    )
    select * from added order by "validatorIndex"`,
);

/** Returns the removed members. Deletes memberships that began today, because they would contain no day. */
export const endMemberships = queryOf(Added, (setId: string, names: readonly ValidatorName[], now: Date) => {
  const own = sql`set_id = ${setId}::uuid and removed_at is null and (
    validator_index = any(${names.flatMap((one) => ('index' in one ? [one.index] : []))}::int[])
    or validator_pubkey = any(${names.flatMap((one) => ('pubkey' in one ? [one.pubkey] : []))}::text[]))`;
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`;
  const ended = sql`validator_index as "validatorIndex", validator_pubkey as "validatorPubkey"`;
  return sql`/* endMemberships */
    with emptied as (
      delete from private_set_members where ${own} and counts_from >= ${today} returning ${ended}
    ), ended as (
      update private_set_members set removed_at = ${now} where ${own} and counts_from < ${today} returning ${ended}
    )
    select * from emptied union all select * from ended`;
});

/** Finds only the account's members. */
export const membersByKey = queryOf(
  SetMember.extend({ setId: z.string(), network: Network }),
  (accountId: string, keys: readonly MemberKey[]) => sql`/* membersByKey */
    select m.set_id::text as "setId", s.network, m.validator_index as "validatorIndex",
      m.validator_pubkey as "validatorPubkey", ${momentText(sql`m.added_at`)} as "addedAt"
    from unnest(
      ${keys.map((key) => key.setId)}::uuid[], ${keys.map((key) => key.validatorIndex)}::int[]
    ) as k (set_id, validator_index)
    join private_sets s on s.set_id = k.set_id and s.account_id = ${accountId}
    join private_set_members m on m.set_id = k.set_id and m.validator_index = k.validator_index
      and m.removed_at is null`,
);

export const memberTotals = queryOf(
  ListedTotal,
  (ids: readonly string[]) => sql`/* memberTotals */
    select k.list::int - 1 as list, (
      select count(*)::int from private_set_members m where m.set_id = k.set_id and m.removed_at is null
    ) as total
    from unnest(${[...ids]}::uuid[]) with ordinality as k (set_id, list)`,
);

export const memberPages = queryOf(
  SetMember.extend({ list: Leaf.count() }),
  (ids: readonly string[], range: DirectedRange<number>) => {
    const { above, below, direction } = keysOfPage(range);
    const order = raw(direction);
    return sql`/* memberPages */
    select k.list::int - 1 as list, p.validator_index as "validatorIndex", p.validator_pubkey as "validatorPubkey",
      ${momentText(sql`p.added_at`)} as "addedAt"
    from unnest(${[...ids]}::uuid[]) with ordinality as k (set_id, list)
    cross join lateral (
      select m.validator_index, m.validator_pubkey, m.added_at from private_set_members m
      where m.set_id = k.set_id and m.removed_at is null and m.validator_index > ${above ?? -1}
        ${below === undefined ? sql`` : sql`and m.validator_index < ${below}`}
      order by m.validator_index ${order} limit ${rowsToRead(range)} offset ${range.offset ?? 0}
    ) p
    order by k.list, p.validator_index ${order}`;
  },
);
