import { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import { queryOf, type Sql, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { IdType } from '../operators/record.ts';

export const namedKinds = ['operator', 'tag', 'stakeAuthority'] as const;

const Name = z.object({
  kind: z.enum(namedKinds),
  /** 'solana' for stake authorities. */
  network: z.string(),
  idType: IdType.or(z.literal('')),
  id: z.string(),
  name: z.string(),
  size: z.int(),
  taggedId: z.string().nullable(),
  score: z.number(),
});
export type NameRow = z.infer<typeof Name>;

type NameSearch = {
  kinds: readonly (typeof namedKinds)[number][];
  network: Network;
  text: string;
  most: number;
};

const networksOf = ({ kinds, network }: NameSearch) =>
  kinds.map((kind) => (kind === 'stakeAuthority' ? 'solana' : network));

/** A prefix followed by this character sorts after every text with that prefix. */
const pastAll = sql`chr(1114111)`;

const named = (n: Sql): Sql => sql`${n}.kind, ${n}.network, ${n}.id_type as "idType", ${n}.id, ${n}.name,
  ${n}.size, ${n}.tagged_id as "taggedId"`;

const scoreOf = (n: Sql, text: Sql): Sql =>
  sql`case when ${n}.place > 0 then 0.8 when ${n}.form = ${text} then 1
    when starts_with(${n}.form, ${text}) then 0.9 else 0.7 end::float8`;

const NEAREST = 500;
const LARGEST = 1_000;

/**
 * Best first. A letter may begin 100,000 names, so only the first names by alphabet and the names of the largest
 * operators are read. Of the latter, those that have the text anywhere are found too.
 */
export const namesByBeginning = queryOf(
  Name,
  (search: NameSearch) => sql`/* namesByBeginning */
    select * from (
      select distinct on (f.kind, f.network, f.id, case f.kind when 'tag' then '' else f.id_type end) ${named(sql`f`)},
        ${scoreOf(sql`f`, sql`f.low`)} as score
      from (
        select n.*, a.low
        from (
          select k.*, search_form(${search.text}) as low, search_form(${search.text}) || ${pastAll} as high
          from unnest(${search.kinds}::text[], ${networksOf(search)}::text[]) as k (kind, network)
        ) a
        cross join lateral (
          (select n.* from search_names n
          where n.kind = a.kind and n.network = a.network and n.form >= a.low and n.form < a.high
          order by n.form limit ${NEAREST})
          union all
          (select * from (
            select n.* from search_names n
            where n.kind = a.kind and n.network = a.network and n.place = 0
            order by n.size desc, n.form limit ${LARGEST}
          ) l where strpos(l.form, a.low) > 0)
        ) n
      ) f
      order by f.kind, f.network, f.id, case f.kind when 'tag' then '' else f.id_type end, score desc, f.size desc, f.name
    ) found
    order by score desc, size desc, name, "idType", id limit ${search.most}`,
);

/** Best first. Scores are at most 0.7, below the scores of `namesByBeginning`. Needs the extension pg_trgm. */
export const namesBySimilarity = queryOf(
  Name,
  (search: NameSearch) => sql`/* namesBySimilarity */
    select ${named(sql`n`)}, n.likeness * 0.69::float8 as score
    from similar_names(${search.kinds}::text[], ${networksOf(search)}::text[], ${search.text}, ${search.most}) n`,
);

const Address = z.object({ idType: IdType, id: z.string(), size: z.int() });

export const addressesByBeginning = queryOf(
  Address,
  (network: Network, hex: string, most: number) => sql`/* addressesByBeginning */
    select distinct on (id, "idType") id_type as "idType", operator_id as id, search_size(validator_count)::int as size
    from (
      select id_type, operator_id, validator_count from operator_summaries
      where network = ${network} and operator_id >= ${hex} and operator_id < ${hex} || ${pastAll} and not superseded
        and id_type in ('depositAddress', 'withdrawalAddress')
      order by operator_id, id_type limit ${most * TimeWindow.options.length}
    ) found
    order by id, "idType", size desc limit ${most}`,
);

const Authority = z.object({ id: z.string(), size: z.int() });

export const authoritiesByBeginning = queryOf(
  Authority,
  (base58: string, most: number) => sql`/* authoritiesByBeginning */
    select distinct on (id) stake_authority as id, search_size(delegated_stake::float8)::int as size
    from (
      select stake_authority, delegated_stake from stake_authority_summaries
      where stake_authority >= ${base58} and stake_authority < ${base58} || ${pastAll} and not superseded
      order by stake_authority limit ${most * TimeWindow.options.length}
    ) found
    order by id, size desc limit ${most}`,
);

const Key = z.object({ validatorIndex: Leaf.count(), validatorPubkey: z.string() });

export const validatorsByBeginning = queryOf(
  Key,
  (network: Network, hex: string, most: number) => sql`/* validatorsByBeginning */
    select validator_index as "validatorIndex", validator_pubkey as "validatorPubkey" from validators
    where network = ${network} and validator_pubkey >= ${hex} and validator_pubkey < ${hex} || ${pastAll}
    order by validator_pubkey limit ${most}`,
);

export const slotsByHash = queryOf(
  z.object({ slot: Leaf.count() }),
  (network: Network, hash: string) => sql`/* slotsByHash */
    select slot from blocks where consensus_block_root = ${hash} and network = ${network}
    union
    select slot from blocks where execution_block_hash = ${hash} and network = ${network}`,
);

const OwnSet = z.object({ id: z.string(), name: z.string(), score: z.number() });
const SETS = 1_000;

/** Best first, among the account's newest 1,000 sets. */
export const setsByBeginning = queryOf(
  OwnSet,
  (accountId: string, network: Network, text: string, most: number) => sql`/* setsByBeginning */
    select set_id::text as id, name, max(${scoreOf(sql`w`, sql`search_form(${text})`)}) as score
    from (
      select set_id, name, created_at from private_sets
      where account_id = ${accountId} and network = ${network}
      order by created_at desc, set_id desc limit ${SETS}
    ) s
    cross join lateral search_words(s.name) w
    where starts_with(w.form, search_form(${text}))
    group by set_id, name, created_at
    order by score desc, name, created_at, set_id limit ${most}`,
);
