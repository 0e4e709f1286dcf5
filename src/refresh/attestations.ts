import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import {
  type AttestationColumn,
  type ComputedColumn,
  computedAttestations,
} from '../ingest/importers/attestations.ts';
import type { Selected } from '../ingest/merge/staging.ts';
import * as figure from '../periods/effectiveness.ts';
import { type DaySelection, doneDates, dueDates, NO_COUNTS } from './due-days.ts';
import { allIndices } from './known.ts';
import { localDays } from './local-days.ts';
import { type ComputedType, checkShareNames, knownOperators } from './operators.ts';
import { gatherOwners } from './owners.ts';
import { removeStaleHours } from './stale-hours.ts';
import { scaled } from './validators.ts';
import { run, type Written, writeSelected } from './write.ts';

const stillKept = sql`not exists (
  select from kept_from k
  where k.dataset = 'attestation-days' and k.network = d.network and d.date < k.date
)`;

/** Rules: docs/data-model.md, spec §2.3. Days on which no entity has validators stay due. */
export async function refreshAttestations(
  client: pg.ClientBase,
  selection: DaySelection,
  types: readonly ComputedType[],
): Promise<(Written & { dates: string[] }) | undefined> {
  const dates = await dueDates(client, 'attestations_due', selection, stillKept);
  if (!dates?.length) return dates && NO_COUNTS;
  // Fresh tables have the statistics of empty ones, so the planner would choose endless nested loops and sort all members
  // of a day.
  await client.query('/* hashed */ set local enable_nestloop = off; set local enable_sort = off');
  const classes = [...types, NETWORK] as const;
  await gatherOwners(client, selection.network, types);
  await gatherMembers(client, selection.network, classes, 'owners');
  const days = await localDays(client, selection, dates);
  let computed: string[] = [];
  let dropped = 0;
  const importer: typeof computedAttestations = {
    ...computedAttestations,
    merge: async (_, options) => {
      const counts = await computedAttestations.merge(client, options);
      const removed = await removeStale(client, selection, classes, dates);
      const ofIndex = types.filter((type) => type !== 'validator');
      const hours = await removeStaleHours(client, selection, { types: ofIndex, dates, counts: added });
      return { ...counts, removed: removed + hours };
    },
  };
  // Sums one day per statement, because the hash table of a week exceeds the memory.
  const selected = dates.map((date) =>
    entityPeriods(selection, { hour: null, sums: sumsOfDay(selection, date, days) }),
  );
  const written = await writeSelected(client, importer, selected, {
    replace: false,
    check: async () => {
      const { rows } = await client.query(
        `/* computedDates */ select distinct date::text as date from staged where id_type <> '${NETWORK}'`,
      );
      computed = rows.map(({ date }) => date);
      dropped = await dropIncomplete(client, selection, dates, days);
    },
  });
  await doneDates(client, 'attestations_due', selection, computed);
  return { ...written, rows: written.rows - dropped, dates };
}

/** Internal `id_type` of the whole network; no API accepts it. */
const NETWORK = 'network';

/** Drops the network's figures of days that lack data of an active validator. */
async function dropIncomplete(
  client: pg.ClientBase,
  { network, utc }: Pick<DaySelection, 'network' | 'utc'>,
  dates: readonly string[],
  days: Sql,
): Promise<number> {
  const { rows: known } = await run(
    client,
    sql`/* lastIndex */ select coalesce(max(validator_index), -1) as last from validators where network = ${network}`,
  );
  // All other indices are known, or `allIndices` is false.
  const { rows } = await run(
    client,
    sql`/* incompleteDates */
    with strangers as materialized (
      select distinct a.date from ${days} a
      where a.network = ${network} and a.utc = ${utc} and a.validator_index > ${known[0].last}::int
        and a.date = any(${[...dates]}::date[]) and ${figure.duties} > 0
    )
    select s.date::text as date from staged s where s.id_type = ${NETWORK} and not (
      ${allIndices(network)}
      and s.date not in (select date from strangers)
      and s.active_count = (
        select count(*) from validators v
        where v.network = ${network} and v.activation_epoch <= s.end_epoch
          and coalesce(v.exit_epoch > greatest(v.activation_epoch, s.start_epoch), true)
      )
    )`,
  );
  const { rowCount } = await run(
    client,
    sql`/* dropIncomplete */ delete from staged s
    where s.id_type = ${NETWORK} and s.date = any(${rows.map(({ date }) => date)}::date[])`,
  );
  return rowCount ?? 0;
}

const memberships: Record<ComputedType | typeof NETWORK, (network: Network) => Sql> = {
  depositAddress: () => sql`o.deposit_address`,
  withdrawalAddress: () => sql`o.withdrawal_address`,
  nodeOperator: () => sql`o.node_operator`,
  pool: () => sql`o.pool`,
  poolShare: () => sql`s.operator_id`,
  validator: () => sql`o.validator_index::text`,
  [NETWORK]: (network) => sql`${network}`,
};

/** Fills `members` with the entities of each row of the table `owners`, by numbers, because grouping by a number is cheap. */
export async function gatherMembers(
  client: pg.ClientBase,
  network: Network,
  types: readonly (ComputedType | typeof NETWORK)[],
  owners: 'owners' | 'hour_owners',
): Promise<void> {
  await run(
    client,
    sql`/* gatherShares */
    create temp table share_names on commit drop as
    with known as (${knownOperators(network, 'all')})
    select 'poolShare' as id_type, coalesce(k.name, o.pool || ' - ' || o.node_operator) as operator_id,
      o.pool as pool_id, o.node_operator as node_operator_id
    from (
      select distinct pool, node_operator from ${raw(owners)} where pool is not null and node_operator is not null
    ) o
    left join known k on k.id_type = 'poolShare' and k.pool_id = o.pool and k.node_operator_id = o.node_operator`,
  );
  if (types.includes('poolShare')) await checkShareNames(client, 'share_names');
  const named = sql`
    select o.owner, m.id_type, m.entity_id
    from ${raw(owners)} o
    left join share_names s on s.pool_id = o.pool and s.node_operator_id = o.node_operator
    cross join lateral (values
      ${join(types.map((type) => sql`(${type}, ${memberships[type](network)})`))}
    ) as m (id_type, entity_id)
    where m.entity_id is not null`;
  await run(
    client,
    sql`/* gatherEntities */
    create temp table member_entities on commit drop as
    select row_number() over ()::int as entity, id_type, entity_id
    from (select distinct id_type, entity_id from (${named}) m) e`,
  );
  await client.query('/* analyzeEntities */ analyze member_entities');
  await run(
    client,
    sql`/* gatherMembers */
    create temp table members on commit drop as
    select m.owner, e.entity from (${named}) m join member_entities e using (id_type, entity_id)`,
  );
  await client.query('/* analyzeMembers */ analyze members');
}

const added = [
  'total_unique_attestations',
  'sum_missed_attestations',
  'sum_missed_sync_signatures',
  'sum_sync_signature_count',
  'sum_correct_head',
  'sum_correct_target',
  'sum_correct_source',
  'sum_wrong_head_votes',
  'sum_wrong_target_votes',
  'sum_late_target_votes',
  'sum_late_source_votes',
  'sum_inclusion_delay',
] as const satisfies AttestationColumn[];
const ofDay = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, raw(`a.${name}`)])) as Record<Name, Sql>;
/** Sums of counts and of Gwei fit 64 bits, and PostgreSQL adds those up much faster than its numerics. */
const sumsOf = (names: readonly string[]) =>
  raw(names.map((name) => `sum(a.${name})::bigint as ${name}`).join(', '));
export const addedUp = sumsOf(added);

const income = [
  'proposed_count',
  'missed_proposal_count',
  'empty_payload_count',
  'sum_attestation_rewards',
  'sum_sync_committee_rewards',
  'sum_proposer_rewards',
  'sum_priority_fees',
  'sum_baseline_mev',
] as const satisfies ComputedColumn[];
/** Null for validators without the figure. */
const means = {
  sum_correctness: figure.correctness,
  sum_inclusion_delays: figure.inclusionDelay,
  sum_uptime: figure.uptime,
  sum_proposer_effectiveness: figure.proposer,
  sum_validator_effectiveness: figure.effectiveness,
} satisfies Partial<Record<ComputedColumn, Sql>>;
/** For the APR of the whole network; the APR of operators is computed from their validators. */
const apr = { apr_rewards: figure.aprRewards, apr_stake: figure.aprStake } satisfies Partial<
  Record<ComputedColumn, Sql>
>;
const aprNames = Object.keys(apr) as (keyof typeof apr)[];
type Mean = keyof typeof means;
const meanNames = Object.keys(means) as Mean[];
const counted = ['attested_count', 'proposer_count'] as const satisfies ComputedColumn[];
const sumsOfFigures = sql`${sumsOf([...income, ...counted])},
  ${raw([...meanNames, ...aprNames].map((name) => `sum(a.${name}) as ${name}`).join(', '))}`;
const unscaled = (name: string) => sql`(${raw(`a.${name}`)} / 1e15)::float8`;

const ofNetwork = (name: keyof typeof apr) =>
  sql`case when e.id_type = ${NETWORK} then coalesce(a.${raw(name)}, 0) end`;
const figuresOfDay: Record<ComputedColumn, Sql> = {
  active_count: sql`a.members`,
  ...ofDay([...income, ...counted]),
  ...(Object.fromEntries(meanNames.map((name) => [name, unscaled(name)])) as Record<Mean, Sql>),
  apr_rewards: ofNetwork('apr_rewards'),
  apr_stake: ofNetwork('apr_stake'),
  sum_uptime: sql`coalesce(${unscaled('sum_uptime')}, 0)`,
  sum_attester_effectiveness: sql`coalesce(${unscaled('effectiveness')}, 0)`,
  sum_validator_effectiveness: sql`coalesce(${unscaled('sum_validator_effectiveness')}, 0)`,
};
const noFigures = Object.fromEntries(
  Object.keys(figuresOfDay).map((name) => [name, sql`null`]),
) as typeof figuresOfDay;
const active = sql`filter (where ${figure.duties} > 0)`;

const balances = sql`count(*) ${active} as members, sum(a.effectiveness) as effectiveness,
        coalesce(sum(a.end_epoch_balance) ${active}, 0)::bigint as balance,
        coalesce(sum(a.end_epoch_effective_balance) ${active}, 0)::bigint as effective`;

/** Sums of each owner of `of`, rows of validators `a`. Groups by `end_epoch` too, so that finding the last epoch needs no sort. */
export const sumsOfOwners = (owner: Sql, sums: Sql, of: Sql): Sql => sql`
      select ${owner}, a.day, a.date, a.end_epoch, min(a.start_epoch) as start_epoch, ${sums}, ${balances}
      from ${of}
      group by ${owner}, a.day, a.date, a.end_epoch`;

/** Sums of each entity of `members`, of sums of owners. */
export const sumsOfEntities = (sums: Sql, owners: Sql): Sql => sql`
      select m.entity, a.day, a.date, a.end_epoch, min(a.start_epoch) as start_epoch, ${sums},
        sum(a.members)::bigint as members, sum(a.effectiveness) as effectiveness, sum(a.balance)::bigint as balance,
        sum(a.effective)::bigint as effective
      from ${owners} a
      join members m using (owner)
      group by m.entity, a.day, a.date, a.end_epoch`;

const sumsOfDay = ({ network, utc }: DaySelection, date: string, days: Sql): Sql => {
  const sums = sql`${addedUp}, ${sumsOfFigures}`;
  const rows = sql`(
        select validator_index, day, date, start_epoch, end_epoch, ${raw([...added, ...income].join(', '))},
          end_epoch_balance, end_epoch_effective_balance, ${scaled(figure.attester)} as effectiveness,
          ${join(meanNames.map((name) => sql`${scaled(means[name])} as ${raw(name)}`))},
          ${join(aprNames.map((name) => sql`case when ${figure.duties} > 0 then ${apr[name]} end as ${raw(name)}`))},
          (${figure.attested} > 0)::int as attested_count, (${figure.proposals} > 0)::int as proposer_count
        from ${days} a
        where network = ${network} and utc = ${utc} and date = ${date}::date
        offset 0 -- the means are worked out once
      ) a
      join owned o using (validator_index)`;
  return sumsOfEntities(sums, sql`(${sumsOfOwners(sql`o.owner`, sums, rows)})`);
};

/** `at_end` includes only validators whose data reach the last epoch. `hour` is null for days. */
export function entityPeriods(
  { network, utc }: Pick<DaySelection, 'network' | 'utc'>,
  { hour, sums }: { hour: Sql | null; sums: Sql },
): Selected<AttestationColumn> {
  return {
    columns: {
      ...ofDay(['day', 'date', 'start_epoch', ...added]),
      ...(hour ? noFigures : figuresOfDay),
      network: sql`${network}`,
      utc: sql`${utc}::boolean`,
      end_epoch: sql`a.at_end[1]`,
      validator_count: sql`a.at_end[2]`,
      sum_end_epoch_balance: sql`a.at_end[3]`,
      sum_end_epoch_effective_balance: sql`a.at_end[4]`,
      avg_attester_effectiveness: sql`coalesce((a.effectiveness / nullif(a.members, 0) / 1e15)::float8, 0)`,
      hour: hour ?? sql`null`,
      computed: sql`true`,
      id_type: sql`e.id_type`,
      entity_id: sql`e.entity_id`,
    },
    from: sql`
  from (
    select entity, day, date, min(start_epoch) as start_epoch, ${addedUp}, sum(members) as members,
      ${hour ? sql`` : sql`${sumsOfFigures},`}
      sum(effectiveness) as effectiveness, max(array[end_epoch, members, balance, effective]::bigint[]) as at_end
    from (${sums}
    ) a
    group by entity, day, date
  ) a
  join member_entities e using (entity)`,
  };
}

async function removeStale(
  client: pg.ClientBase,
  { network, utc }: DaySelection,
  types: readonly string[],
  dates: readonly string[],
): Promise<number> {
  const { rowCount } = await run(
    client,
    sql`/* removeStaleDays */
    delete from attestation_days t using attestation_entities e
    where t.computed and t.utc = ${utc} and t.date = any(${[...dates]}::date[])
      and e.entity_key = t.entity_key and e.network = ${network} and e.id_type = any(${[...types]}::text[])
      and not exists (
        select from staged s where s.id_type = e.id_type and s.entity_id = e.entity_id and s.date = t.date
      )`,
  );
  return rowCount ?? 0;
}
