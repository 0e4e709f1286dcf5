import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { namedOperators } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import {
  beyond,
  join,
  type KeyColumns,
  keyTable,
  queryOf,
  raw,
  rows,
  type Sql,
  selectList,
  sql,
} from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  type DirectedRange,
  type Ends,
  keysOfPage,
  LAST_NUMBER,
  type Range,
  rowsToRead,
} from '../../kernel/page.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { type ValidatorKey, validatorColumns } from '../validators/loaders.ts';
import {
  Consolidation,
  ConsolidationEntity,
  type ConsolidationSortField,
  type EntityClass,
  entityClasses,
  PendingConsolidation,
} from './record.ts';

export type EntityKey = { idType: EntityClass; id: string };

/** Matches the source or the target of a consolidation; null matches any. */
export type Scope = { network: Network; validatorIndex: number | null; entity: EntityKey | null };

export type ConsolidationQuery = {
  epochs: Ends;
  sortBy: ConsolidationSortField;
  sortOrder: 'asc' | 'desc';
};

/** The values of `orderFields` in decimal digits. */
export type ConsolidationPlace = string[];

const StoredConsolidation = Consolidation.omit({
  day: true,
  date: true,
  timestamp: true,
  sourceEntities: true,
  targetEntities: true,
});
const storedFields = Object.keys(StoredConsolidation.shape) as (keyof z.infer<typeof StoredConsolidation>)[];
const fields = {
  epoch: sql`c.epoch`,
  sourceValidatorIndex: sql`c.source_index`,
  sourceValidatorPubkey: sql`c.source_pubkey`,
  targetValidatorIndex: sql`c.target_index`,
  targetValidatorPubkey: sql`c.target_pubkey`,
  consolidatedBalance: sql`c.consolidated_balance::text`,
};
const select = selectList(fields, storedFields);
const Row = StoredConsolidation.extend({ network: Network, list: Leaf.count() });
export type StoredRow = z.infer<typeof Row>;

type OrderField = 'epoch' | 'sourceValidatorIndex' | 'targetValidatorIndex' | 'consolidatedBalance';
const columns: Record<OrderField, readonly [name: string, type: string]> = {
  epoch: ['epoch', 'int'],
  sourceValidatorIndex: ['source_index', 'int'],
  targetValidatorIndex: ['target_index', 'int'],
  consolidatedBalance: ['consolidated_balance', 'bigint'],
};

/** `entity_consolidations` has an index for each order. */
export function orderFields(sortBy: ConsolidationSortField): OrderField[] {
  if (sortBy === 'sourceValidatorIndex') return ['sourceValidatorIndex'];
  const byTime: OrderField[] = ['epoch', 'sourceValidatorIndex'];
  return sortBy === 'targetValidatorIndex' || sortBy === 'consolidatedBalance' ? [sortBy, ...byTime] : byTime;
}

/** In `consolidation_entities` only. */
const wholeNetwork = { idType: 'network', id: '' };

/** Makes the table `k`. `entity` is null for an entity without consolidations. */
const scopesOf = (scopes: readonly Scope[]): Sql => sql`(
      select k.*, e.entity, e.listed_count
      from ${keyTable(scopes, {
        network: ['text', (scope) => scope.network],
        validator_index: ['int', (scope) => scope.validatorIndex],
      })}
      join ${namedOperators(scopes.map(({ network, entity }) => ({ network, ...(entity ?? wholeNetwork) })))} a
        on a.list = k.list - 1
      left join consolidation_entities e
        on (e.network, e.id_type, e.operator_id, e.share_of) = (a.network, a.id_type, a.operator_id, a.share_of)
    ) k`;

const hasAll = ({ first, last }: Ends): boolean => first === 0 && last === LAST_NUMBER;

/** A generic plan expects few rows from any range, and sorts them. So the range of all epochs gets no condition. */
const within = (epochs: Ends): Sql =>
  hasAll(epochs) ? sql`true` : sql`c.epoch between ${epochs.first}::int and ${epochs.last}::int`;

function source({ validatorIndex, entity }: Scope): Sql {
  if (validatorIndex === null) return sql`select * from entity_consolidations where entity = k.entity`;
  const ofEntity =
    entity === null
      ? sql``
      : sql`where exists (
      select from entity_consolidations e where (e.entity, e.source_index) = (k.entity, c.source_index))`;
  return sql`select * from (
      select * from consolidations where network = k.network and source_index = k.validator_index
      union all
      select * from consolidations where network = k.network and target_index = k.validator_index
    ) c ${ofEntity}`;
}

const setColumns: KeyColumns<SetKey> = { network: ['text', 'network'], set_id: ['uuid', 'id'] };

/** The consolidations of the validators that are in a private set now, found by their keys. */
function ofSet(): Sql {
  const where = (side: 'source' | 'target') => sql`select c.* from private_set_members m
      cross join lateral (
        select * from consolidations c
        where c.network = k.network and c.${raw(`${side}_index`)} = m.validator_index offset 0
      ) c
      where m.set_id = k.set_id and m.removed_at is null`;
  return sql`${where('source')} union ${where('target')}`;
}

/** `keys` is the table `k`, and `source` selects the consolidations of one of its rows. */
type Lists = { statement: string; keys: Sql; source: Sql };

export const consolidationPages = queryOf(
  Row,
  (scopes: readonly Scope[], query: ConsolidationQuery, range: Range<ConsolidationPlace>) =>
    pageOf(
      { statement: 'consolidationPages', keys: scopesOf(scopes), source: source(scopes[0] as Scope) },
      query,
      range,
    ),
);

/** Does not check who owns the sets. */
export const setConsolidationPages = queryOf(
  Row,
  (sets: readonly SetKey[], query: ConsolidationQuery, range: Range<ConsolidationPlace>) =>
    pageOf(
      { statement: 'setConsolidationPages', keys: keyTable(sets, setColumns), source: ofSet() },
      query,
      range,
    ),
);

function pageOf(
  { statement, keys, source }: Lists,
  query: ConsolidationQuery,
  range: Range<ConsolidationPlace>,
): Sql {
  const order = orderFields(query.sortBy).map((name) => columns[name]);
  const key = order.map(([name]) => raw(`c.${name}`));
  const at = (position: ConsolidationPlace) =>
    order.map(([, type], index) => sql`${position[index]}::${raw(type)}`);
  const descending = (query.sortOrder === 'desc') !== (range.backward === true);
  const ordered = join(key.map((column) => sql`${column} ${raw(descending ? 'desc' : 'asc')}`));
  const [low, high] = query.sortOrder === 'desc' ? [range.before, range.after] : [range.after, range.before];
  const page = sql`select c.source_index from (${source}) c
      where ${within(query.epochs)}
        ${low ? beyond(key, '>', at(low)) : sql``} ${high ? beyond(key, '<', at(high)) : sql``}
      order by ${ordered} limit ${rowsToRead(range)} offset ${range.offset ?? 0}`;
  // The keys of the page are an array. PostgreSQL, which does not know the limit, would join a tenth of all consolidations.
  return sql`${raw(`/* ${statement} */`)}
    select k.list::int - 1 as list, k.network, ${select}
    from ${keys}
    cross join lateral (
      select * from consolidations c where c.network = k.network and c.source_index = any(array(${page})) offset 0
    ) c
    order by k.list, ${ordered}`;
}

export type SourceKey = { network: Network; sourceValidatorIndex: number };

export const consolidationsBySource = queryOf(
  Row.omit({ list: true }),
  (sources: readonly SourceKey[]) => sql`/* consolidationsBySource */
    select c.network, ${select}
    from ${keyTable(sources, { network: ['text', 'network'], source_index: ['int', 'sourceValidatorIndex'] })}
    join consolidations c using (network, source_index)`,
);

export const consolidationTotals = queryOf(ListedTotal, (scopes: readonly Scope[], epochs: Ends) => {
  const scope = scopes[0] as Scope;
  const counted =
    scope.validatorIndex !== null
      ? sql`select count(*)::int as total from (${source(scope)}) c where ${within(epochs)}`
      : hasAll(epochs)
        ? sql`select coalesce(k.listed_count, 0) as total`
        : sql`select coalesce(sum(c.consolidation_count), 0)::int as total from consolidation_epochs c
      where c.entity = k.entity and ${within(epochs)}`;
  return sql`/* consolidationTotals */
    select k.list::int - 1 as list, t.total
    from ${scopesOf(scopes)}
    cross join lateral (${counted}) t`;
});

/** Does not check who owns the sets. */
export const setConsolidationTotals = queryOf(
  ListedTotal,
  (sets: readonly SetKey[], epochs: Ends) => sql`/* setConsolidationTotals */
    select k.list::int - 1 as list, t.total
    from ${keyTable(sets, setColumns)}
    cross join lateral (select count(*)::int as total from (${ofSet()}) c where ${within(epochs)}) t`,
);

const EntityRow = ConsolidationEntity.extend({ list: Leaf.count() });

export const entitiesByValidator = queryOf(
  EntityRow,
  (keys: readonly ValidatorKey[]) => sql`/* entitiesByValidator */
    select k.list::int - 1 as list, m.entity_id as id, m.id_type as "idType"
    from ${keyTable(keys, validatorColumns)}
    cross join lateral (
      select * from validator_entities e where e.network = k.network and e.validator_index = k.validator_index
      offset 0
    ) m
    order by k.list, array_position(${[...entityClasses]}::text[], m.id_type), m.entity_id`,
);

/** `pubkey` must be in lower case. Also finds validators known only from consolidations. */
export async function indexOfPubkey(db: Queryable, network: Network, pubkey: string) {
  const [row] = await rows(
    db,
    z.object({ index: Leaf.count().nullable() }),
    sql`/* indexOfPubkey */
    select coalesce(
      (select validator_index from validators where network = ${network} and validator_pubkey = ${pubkey}),
      (select source_index from consolidations where network = ${network} and source_pubkey = ${pubkey} limit 1),
      (select target_index from consolidations where network = ${network} and target_pubkey = ${pubkey} limit 1)
    ) as index`,
  );
  return row?.index ?? undefined;
}

/** `validatorIndex`: source or target; null means all. */
export type QueueKey = { network: Network; validatorIndex: number | null };

const QueueRow = PendingConsolidation.extend({ network: Network, list: Leaf.count() });
export type QueueRow = z.infer<typeof QueueRow>;

const inQueue = sql`q.network = k.network
      and (k.validator_index is null or q.source_index = k.validator_index or q.target_index = k.validator_index)`;
const queueKeys = (keys: readonly QueueKey[]) =>
  keyTable(keys, { network: ['text', 'network'], validator_index: ['int', 'validatorIndex'] });

const queueColumns = sql`k.list::int - 1 as list, k.network, q.position, q.source_index as "sourceValidatorIndex",
      q.target_index as "targetValidatorIndex", q.amount::text as amount, q.expected_epoch as "expectedEpoch"`;

/** Finds at most one row per source, because the protocol queues a source validator only once. */
export const pendingConsolidationsBySource = queryOf(
  QueueRow,
  (keys: readonly SourceKey[]) => sql`/* pendingConsolidationsBySource */
    select ${queueColumns}
    from ${keyTable(keys, { network: ['text', 'network'], source_index: ['int', 'sourceValidatorIndex'] })}
    cross join lateral (
      select q.* from pending_consolidations q
      where q.network = k.network and q.source_index = k.source_index
      order by q.position limit 1
    ) q`,
);

export const pendingConsolidationPages = queryOf(
  QueueRow,
  (keys: readonly QueueKey[], range: DirectedRange<number>) => {
    const { above, below, direction } = keysOfPage(range);
    const order = raw(direction);
    return sql`/* pendingConsolidationPages */
    select ${queueColumns}
    from ${queueKeys(keys)}
    cross join lateral (
      select q.* from pending_consolidations q
      where ${inQueue} and q.position > ${above ?? -1}
        ${below === undefined ? sql`` : sql`and q.position < ${below}`}
      order by q.position ${order} limit ${rowsToRead(range)}
    ) q
    order by k.list, q.position ${order}`;
  },
);

export const pendingConsolidationTotals = queryOf(
  ListedTotal,
  (keys: readonly QueueKey[]) => sql`/* pendingConsolidationTotals */
    select k.list::int - 1 as list, t.total
    from ${queueKeys(keys)}
    cross join lateral (select count(*)::int as total from pending_consolidations q where ${inQueue}) t`,
);
