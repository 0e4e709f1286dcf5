import { z } from 'zod';
import { SLOTS_PER_EPOCH, slotTimestamp } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { isMember, namedOperators, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type KeyColumns, keyTable, queryOf, raw, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  type DirectedRange,
  type Ends,
  endsOfPage,
  keysOfPage,
  type Range,
  rowsToRead,
} from '../../kernel/page.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { validatorColumns } from '../validators/loaders.ts';
import {
  Block,
  BlockBid,
  type BlockField,
  type PayloadStatus,
  type ProposerDuty,
  WholeBlock,
} from './record.ts';

export type BlockKey = { network: Network; slot: number };
export type BuilderKey = { network: Network; builderPubkey: string };
const builderColumns: KeyColumns<BuilderKey> = {
  network: ['text', 'network'],
  builder_pubkey: ['text', 'builderPubkey'],
};

export type BlockRow = Partial<WholeBlock> &
  Pick<WholeBlock, 'epoch' | 'consensusSlot' | 'blockTimestamp' | 'validatorIndex'> & {
    network: Network;
  };

const fields = {
  ...recordColumns(Block.omit({ epoch: true, blockTimestamp: true }), 'b'),
  consensusSlot: sql`b.slot`,
  relays: sql`coalesce(b.relays, '{}')`,
  blockBuilderPubkeys: sql`coalesce(b.block_builder_pubkeys, '{}')`,
  finalized: sql`b.finalized`,
  ...recordColumns(BlockBid, 'b'),
};

type StoredField = keyof typeof fields;
type StoredRow = Omit<BlockRow, 'epoch' | 'blockTimestamp'>;
type Selection = {
  columns: Sql;
  row: z.ZodType<StoredRow>;
  listed: z.ZodType<StoredRow & { list: number }>;
};
const selections = boundedMap<Selection>(500);

function selection(fieldNames: readonly BlockField[]): Selection {
  const stored = fieldNames.filter((name): name is StoredField => name in fields);
  const names = [...new Set<StoredField>(['consensusSlot', 'validatorIndex', ...stored])].sort();
  const known = selections.get(names.join());
  if (known) return known;
  const mask = Object.fromEntries(names.map((name) => [name, true]));
  const row = WholeBlock.pick(mask as { consensusSlot: true }).extend({ network: Network });
  const made = {
    columns: selectList(fields, names),
    row,
    listed: row.extend({ list: Leaf.count() }),
  } as unknown as Selection;
  selections.set(names.join(), made);
  return made;
}

const timed = <Row extends StoredRow>(row: Row) => ({
  ...row,
  epoch: Math.floor(row.consensusSlot / SLOTS_PER_EPOCH),
  blockTimestamp: slotTimestamp(row.network, row.consensusSlot),
});

type BlockFilter = {
  proposer: number | null;
  operator: OperatorScope | null;
  outcome: ProposerDuty | null;
  finalized: boolean | null;
  payload: PayloadStatus | null;
};
export type BlockList = { network: Network; slots: Ends; where: BlockFilter; ascending: boolean };

/** Literals let the planner use partial indexes. */
const outcomeIs = (alias: string, outcome: ProposerDuty | null): Sql =>
  outcome === null ? sql`` : raw(` and ${alias}.consensus_proposer_duty = '${outcome}'`);
const finalizedIs = (finalized: boolean | null): Sql =>
  finalized === null ? sql`` : raw(` and ${finalized ? '' : 'not '}b.finalized`);

const payloadIs = (payload: PayloadStatus | null): Sql =>
  payload === null ? sql`` : raw(` and b.payload_status = '${payload}'`);

const slotsWithin = (alias: string, { first, last }: Ends): Sql =>
  sql`${raw(`${alias}.slot`)} between ${first}::bigint and ${last}::bigint`;

function plainSource({ network, where }: BlockList, slots: Ends): Sql {
  const { proposer, operator, outcome, finalized, payload } = where;
  return sql`blocks b
    where b.network = ${network} and ${slotsWithin('b', slots)}${outcomeIs('b', outcome)}${finalizedIs(finalized)}${payloadIs(payload)}
      ${proposer === null ? sql`` : sql`and b.validator_index = ${proposer}`}
      ${
        operator === null
          ? sql``
          : sql`and exists (
        select from block_operators o where (o.network, o.slot) = (b.network, b.slot) and ${isMember('o', network, operator)}
      )`
      }`;
}

function operatorSource({ network, where }: BlockList, operator: OperatorScope, slots: Ends): Sql {
  const { outcome, finalized, payload } = where;
  const open = sql`and o.slot >= (select min(slot) from blocks where network = ${network} and not finalized)`;
  const sinceGloas = sql`and o.slot >= (
          select min(slot) from blocks where network = ${network} and payload_status = 'full'
        )`;
  return sql`block_operators o
      ${finalized === null && payload === null ? sql`` : sql`join blocks b on (b.network, b.slot) = (o.network, o.slot)`}
      where o.network = ${network} and ${isMember('o', network, operator)}
        and ${slotsWithin('o', slots)}${outcomeIs('o', outcome)}${finalizedIs(finalized)}${payloadIs(payload)}
        ${finalized === false ? open : sql``} ${payload === null ? sql`` : sinceGloas}`;
}

/** Blocks of a proposer, and those without a payload, are few: their operators are compared one by one. */
const areFew = ({ proposer, payload }: BlockFilter): boolean =>
  proposer !== null || payload === 'empty' || payload === 'unknown';

export async function blockPage(
  db: Queryable,
  list: BlockList,
  range: Range<number>,
  fields: readonly BlockField[],
): Promise<BlockRow[]> {
  const { columns, row } = selection(fields);
  const { operator } = list.where;
  const slots = endsOfPage(range, list.slots, list.ascending);
  const direction = list.ascending === (range.backward === true) ? sql`desc` : sql``;
  const page = (alias: string) =>
    sql`order by ${raw(`${alias}.slot`)} ${direction} limit ${rowsToRead(range)}`;
  const source =
    operator === null || areFew(list.where)
      ? sql`from ${plainSource(list, slots)} ${page('b')}`
      : sql`from (select o.slot from ${operatorSource(list, operator, slots)} ${page('o')}) page
    join blocks b on (b.network, b.slot) = (${list.network}, page.slot)
    order by b.slot ${direction}`;
  const found = await rows(db, row, sql`/* blockPage */ select b.network, ${columns} ${source}`);
  return found.map(timed);
}

export const blockTotal = totalBy(
  (network: Network) => sql`/* blockTotal */ select total from block_counts where network = ${network}`,
);

export const blockCount = totalBy((list: BlockList) => {
  const { operator } = list.where;
  const source =
    operator === null || areFew(list.where)
      ? plainSource(list, list.slots)
      : operatorSource(list, operator, list.slots);
  return sql`/* blockCount */ select count(*)::int as total from ${source}`;
});

export async function blocksBySlot(
  db: Queryable,
  keys: readonly BlockKey[],
  fieldNames: readonly BlockField[],
): Promise<BlockRow[]> {
  const { columns, row } = selection(fieldNames);
  const found = await rows(
    db,
    row,
    sql`/* blocksBySlot */
    select b.network, ${columns}
    from ${keyTable(keys, { network: ['text', (key) => key.network], slot: ['int', (key) => key.slot] })}
    join blocks b using (network, slot)`,
  );
  return found.map(timed);
}

const pagesOf =
  <Key>(statement: string, columns: KeyColumns<Key>, isOf: Sql) =>
  async (
    db: Queryable,
    keys: readonly Key[],
    range: DirectedRange<number>,
    fieldNames: readonly BlockField[],
  ): Promise<(BlockRow & { list: number })[]> => {
    const { above, below, direction } = keysOfPage(range);
    const order = raw(direction);
    const { columns: selected, listed } = selection(fieldNames);
    const found = await rows(
      db,
      listed,
      sql`/* ${raw(statement)} */
    select k.list::int - 1 as "list", page.*
    from ${keyTable(keys, columns)}
    cross join lateral (
      select b.network, ${selected}
      from blocks b
      where b.network = k.network and ${isOf}
        ${above === undefined ? sql`` : sql`and b.slot > ${above}::bigint`}
        ${below === undefined ? sql`` : sql`and b.slot < ${below}::bigint`}
      order by b.slot ${order}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page."consensusSlot" ${order}`,
    );
    return found.map(timed);
  };

export const proposerBlockPages = pagesOf(
  'proposerBlockPages',
  validatorColumns,
  sql`b.validator_index = k.validator_index`,
);

const isOfBuilder = sql`b.bid_builder_pubkey = k.builder_pubkey`;
export const builderBlockPages = pagesOf('builderBlockPages', builderColumns, isOfBuilder);

export const builderBlockTotals = queryOf(
  ListedTotal,
  (builders: readonly BuilderKey[]) => sql`/* builderBlockTotals */
    select k.list::int - 1 as "list", t.total
    from ${keyTable(builders, builderColumns)}
    cross join lateral (
      select count(*)::int as total from blocks b where b.network = k.network and ${isOfBuilder}
    ) t`,
);

const ProposalCountsRow = z.object({
  list: Leaf.count(),
  proposed: Leaf.count(),
  missed: Leaf.count(),
  orphaned: Leaf.count(),
});
export type ProposalCounts = Omit<z.infer<typeof ProposalCountsRow>, 'list'>;

export const operatorProposalCounts = queryOf(
  ProposalCountsRow,
  (operators: readonly OperatorId[], slots: Ends) => {
    const counted = (outcome: ProposerDuty) =>
      raw(`(count(*) filter (where o.consensus_proposer_duty = '${outcome}'))::int as ${outcome}`);
    return sql`/* operatorProposalCounts */
    select k.list, o.*
    from ${namedOperators(operators)} k
    cross join lateral (
      select ${counted('proposed')}, ${counted('missed')}, ${counted('orphaned')}
      from (
        select o.consensus_proposer_duty from operator_blocks o
        where o.network = k.network and o.id_type = k.id_type and o.operator_id = k.operator_id
          and o.share_of = k.share_of and ${slotsWithin('o', slots)}
        union all
        select b.consensus_proposer_duty from blocks b
        where b.network = k.network and ${slotsWithin('b', slots)} and b.validator_index
          = case when k.id_type = 'validator' and k.operator_id ~ '^[0-9]{1,9}$' then k.operator_id::int end
      ) o
    ) o`;
  },
);
