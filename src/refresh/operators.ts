import type pg from 'pg';
import { firstEpochOfChainDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { isLiquidStakingColumn } from '../ingest/importers/liquid-staking.ts';
import { operatorImporter } from '../ingest/importers/operators.ts';
import { anyJoins } from '../ingest/merge/staging.ts';
import { isIncremental } from './incremental/switch.ts';
import {
  type Computed,
  computedWindows,
  namedFacts,
  noteComputed,
  noteOwnRevision,
} from './incremental/unchanged.ts';
import { chainDays } from './known.ts';
import { localDays } from './local-days.ts';
import { type ComputedType, gatherFigures, ofOperators } from './owners.ts';
import { gatherRelays, gatherValidators } from './validators.ts';
import { bounds, type StoredDay, type StoredDays, storedDays } from './windows.ts';
import { run, shownObjects, shownShare, type Written, writeSelected } from './write.ts';

export type { ComputedType } from './owners.ts';

type Outcome = Written & { facts: number };
type SummaryScope = { network: Network; windows: readonly TimeWindow[]; types: readonly ComputedType[] };

/**
 * Computes windows one after the other; the outcome of a window is undefined if no days are stored. Passes over windows
 * whose facts are those from which they were computed, unless `allDays`. A window that fails leaves the others as they are.
 * An `idType` without known validators keeps its summaries.
 */
export async function refreshOperators(
  client: pg.ClientBase,
  { network, windows, types, allDays }: SummaryScope & { allDays: boolean },
  tell: (window: TimeWindow, outcome: Outcome | Error | undefined) => void,
  stopped: () => boolean,
): Promise<void> {
  const keeps = isIncremental();
  const stored = await storedDays(client, network);
  if (!stored) {
    for (const window of windows) tell(window, undefined);
    return;
  }
  const facts = await namedFacts(client, types, stored);
  const computed =
    keeps && !allDays ? await computedWindows(client, network, facts) : new Map<TimeWindow, Computed>();
  for (const [window, before] of computed)
    if (windows.includes(window)) tell(window, { ...before, inserted: 0, updated: 0, removed: 0 });
  const due = windows.filter((window) => !computed.has(window));
  if (due.length === 0) return;
  const gathered = await gatherValidators(client, { network, windows: due, types }, keeps && !allDays);
  if (!gathered) {
    for (const window of due) tell(window, undefined);
    return;
  }
  const effective = await effectiveBalance(client, network, gathered.stored);
  await gatherFigures(client, types, due);
  let hasClients = false;
  for (const window of due) {
    if (stopped()) return;
    await client.query('/* beforeWindow */ savepoint one_window');
    try {
      const own = gathered.ofWindow.get(window) as { facts: number; epoch: number | null };
      const outcome = await writeWindow(
        client,
        { network, window, types },
        { ...own, effective, days: bounds(gathered.stored, window) },
        hasClients,
      );
      if (keeps) await noteComputed(client, { network, window, facts }, outcome);
      await client.query('/* afterWindow */ release savepoint one_window');
      hasClients = true;
      tell(window, outcome);
    } catch (error) {
      await client.query('/* forgetWindow */ rollback to savepoint one_window');
      tell(window, error as Error);
    }
  }
}

async function writeWindow(
  client: pg.ClientBase,
  { network, window, types }: { network: Network; window: TimeWindow; types: readonly ComputedType[] },
  {
    facts,
    epoch,
    effective,
    days,
  }: { facts: number; epoch: number | null; effective: string | null; days: { first: number; last: number } },
  hasClients: boolean,
): Promise<Outcome> {
  await client.query('/* hashedJoins */ set local enable_nestloop = off');
  await gatherRelays(client, { network, window }, days);
  const importer: typeof operatorImporter = {
    ...operatorImporter,
    merge: async (_, options) => {
      let isRaised = false;
      const revision = () => {
        isRaised = true;
        return options.revision();
      };
      const counts = await operatorImporter.merge(client, { ...options, revision });
      if (!hasClients && (await writeClients(client, network))) await revision();
      if (counts.inserted + counts.updated + counts.removed > 0) await revision();
      if (isRaised) await noteOwnRevision(client);
      return counts;
    },
  };
  const written = await writeSelected(
    client,
    importer,
    summaries(network, window, { epoch, effective }, types),
    {
      replace: true,
      check: async () => {
        await anyJoins(client);
        await checkShareNames(client);
      },
    },
  );
  await client.query('/* forgetRelays */ drop table window_relays');
  return { ...written, facts };
}

/** Effective balance of the chain at the end of the newest day; null if it is not known. */
async function effectiveBalance(
  client: pg.ClientBase,
  network: Network,
  { days }: StoredDays,
): Promise<string | null> {
  const { date, day } = days[0] as StoredDay;
  const { rows } = await run(
    client,
    sql`/* effectiveBalance */
    select (select sum(effective) from window_validators)::text as known, (
      select total_active_balance from chain_balances
      where network = ${network} and epoch < ${firstEpochOfChainDay(day + 1)}
      order by epoch desc limit 1
    )::text as chain`,
  );
  const { known, chain } = rows[0];
  if (chain !== null) return known !== null && BigInt(known) > BigInt(chain) ? known : chain;
  const newest = await localDays(client, { network, utc: false }, [date]);
  const { rows: whole } = await run(
    client,
    sql`/* isWholeChain */ select complete from (${chainDays(network, sql`array[${date}::date]`, newest)}) d`,
  );
  return whole[0]?.complete ? known : null;
}

async function writeClients(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rows } = await run(
    client,
    sql`/* writeClients */
    with found as (
      select client, count(*)::int as validator_count from window_validators
      where client is not null and balance is not null group by client
    ), removed as (
      delete from network_clients c
      where network = ${network} and not exists (select from found f where f.client = c.client)
      returning 1
    ), written as (
      insert into network_clients as c (network, client, validator_count)
      select ${network}, client, validator_count from found
      on conflict (network, client) do update set validator_count = excluded.validator_count
        where c.validator_count <> excluded.validator_count
      returning 1
    )
    select exists (select from removed) or exists (select from written) as changed`,
  );
  return rows[0].changed;
}

const ofWindow = ['delay', 'uptime', 'effectiveness', 'apr', 'proposals', 'missed'];

/** Rules: docs/data-model.md, spec §2.2, decisions on operators. */
const summaries = (
  network: Network,
  window: TimeWindow,
  { epoch, effective }: { epoch: number | null; effective: string | null },
  types: readonly ComputedType[],
) => ({
  with: sql`
  with chain as (
    select ${effective}::numeric as effective, ${epoch}::int as epoch
  ), clients as (
    select operator, client as name, n_${raw(window)} as n from window_clients where n_${raw(window)} > 0
  ), relayers as (
    ${ofOperators(types, sql`w.relayer as name, sum(w.blocks) as n`, {
      from: sql`window_relays`,
      by: sql`, w.relayer`,
    })}
  ), ${shares('client', 'clients')}, ${shares('relayer', 'relayers')}, figures as (
    select ${key}, o.operator, f.validator_count, f.effective, f.balance, coalesce(f.correctness_${raw(window)}, 0) as correctness,
      ${raw(ofWindow.map((name) => `f.${name}_${window} as ${name}`).join(', '))}
    from window_figures f join window_operators o using (operator) where f.members_${raw(window)} > 0
  ), runner as (
    select 'pool' as id_type, pool_id as operator_id, '' as pool_id, '' as node_operator_id, count(*)::int as node_operators
    from figures where id_type = 'poolShare' group by pool_id
  ), known as (
    ${knownOperators(network, window)}
  )`,
  columns: {
    network: sql`${network}`,
    as_of_epoch: sql`chain.epoch`,
    id_type: sql`f.id_type`,
    time_window: sql`${window}`,
    operator_id: sql`coalesce(k.name, nullif(f.operator_id, ''),
      f.pool_id || ' - ' || f.node_operator_id)`,
    validator_count: sql`f.validator_count`,
    avg_correctness: sql`f.correctness`,
    avg_inclusion_delay: sql`f.delay`,
    avg_uptime: sql`f.uptime`,
    avg_validator_effectiveness: sql`f.effectiveness`,
    client_percentages: sql`coalesce(c.percentages, '[]')`,
    network_penetration: sql`(f.effective / nullif(chain.effective, 0))::float8`,
    relayer_percentages: sql`coalesce(r.percentages, '[]')`,
    node_operator_count: sql`n.node_operators`,
    operator_tags: sql`coalesce(k.operator_tags, '[]')`,
    display_name: sql`k.display_name`,
    apr_percentage: sql`f.apr`,
    sum_end_epoch_balance: sql`f.balance`,
    sum_end_epoch_effective_balance: sql`f.effective`,
    proposer_duty_count: sql`f.proposals`,
    missed_proposal_count: sql`f.missed`,
    pool_id: sql`nullif(f.pool_id, '')`,
    node_operator_id: sql`nullif(f.node_operator_id, '')`,
    pool_type: sql`case f.id_type
      when 'pool' then coalesce(nullif(k.pool_type, 'none'), case when ${isLiquidStakingColumn(sql`f.operator_id`)} then 'lst' end)
      when 'poolShare' then case when ${isLiquidStakingColumn(sql`f.pool_id`)} then 'lst' end
    end`,
  },
  from: sql`
  from figures f
  cross join chain
  left join client c using (operator)
  left join relayer r using (operator)
  left join runner n using (${key})
  left join known k using (${key})
  where f.id_type = any(${[...types]}::text[])`,
});

/**
 * SQL: the shares of each operator as JSON, the largest first. JSON is written once for each distinct list, because most
 * operators have one of few, and a million shares would take longer than all other figures.
 */
const shares = (field: 'client' | 'relayer', counted: string): Sql => {
  const lists = raw(`${counted}_of_each`);
  const shown = raw(`shown_${counted}`);
  return sql`${lists} as (
    select operator, array_agg(name order by name) as names, array_agg(n order by name) as counts
    from ${raw(counted)} group by operator
  ), ${shown} as (
    select names, counts, (
      select ${shownObjects(sql`shown`, sql`part desc, name`)}
      from (select name, n / sum(n) over () as part from unnest(names, counts) as u (name, n)) p
      cross join lateral (select name as ${raw(field)}, ${shownShare(sql`part`)} as percentage) shown
    ) as percentages
    from (select distinct names, counts from ${lists}) d
  ), ${raw(field)} as (
    select operator, percentages from ${lists} join ${shown} using (names, counts)
  )`;
};

const key = sql`id_type, operator_id, pool_id, node_operator_id`;

/**
 * Prefers profiles, then summaries of the same window. Shares match by parents, because their names vary. Leaves out
 * operators known only by their key: nearly all.
 */
export const knownOperators = (network: Network, window: TimeWindow): Sql => {
  const stored = sql`(
    select id_type, case when id_type = 'poolShare' then '' else operator_id end as operator_id,
      coalesce(pool_id, '') as pool_id, coalesce(node_operator_id, '') as node_operator_id,
      operator_id as name, operator_tags, display_name, pool_type, place
    from (
      select id_type, operator_id, pool_id, node_operator_id, operator_tags, display_name, pool_type, '' as place
      from operator_profiles where network = ${network}
      union all
      select id_type, operator_id, pool_id, node_operator_id, operator_tags, display_name, pool_type,
        case when time_window = ${window} then '0' else time_window end
      from operator_summaries where network = ${network} and not superseded
    ) k
  ) k`;
  return sql`
  select distinct on (${key}) ${key}, name, operator_tags, display_name, pool_type
  from ${stored}
  where (${key}) in (
    select ${key} from ${stored}
    where operator_tags::text <> '[]' or display_name is not null or pool_type is not null
      or id_type = 'poolShare' and name <> pool_id || ' - ' || node_operator_id
  )
  order by ${key}, place, name`;
};

/** Throws if the name of a share, which combines two names, is too long or not unique. */
export async function checkShareNames(client: pg.ClientBase, table = 'staged'): Promise<void> {
  const { rows } = await run(
    client,
    sql`/* checkShareNames */
    select operator_id as id, min(pool_id) as pool, min(node_operator_id) as operator, count(*)::int as shares
    from ${raw(table)} where id_type = 'poolShare'
    group by operator_id having count(*) > 1 or length(operator_id) > 256 order by operator_id limit 1`,
  );
  const [bad] = rows;
  if (!bad) return;
  const why = bad.shares > 1 ? `is that of ${bad.shares} pool shares` : 'is longer than 256 characters';
  throw new Error(
    `The name ${JSON.stringify(bad.id)}, of the share of pool ${bad.pool} and node operator ${bad.operator}, ${why}: import operator-profiles with another name.`,
  );
}
