import { z } from 'zod';
import { SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { askedOperators, isMember, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { keyTable, raw, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalOf } from '../../db/total.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { count } from '../../kernel/leaves.ts';
import { type Ends, endsOfPage, type Range, rowsToRead } from '../../kernel/page.ts';
import { timestampText } from '../../kernel/time.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { type ValidatorKey, validatorColumns } from '../validators/loaders.ts';
import { Block, type BlockField, FinalizedBlock, type ProposerDuty } from './record.ts';

export type BlockKey = { network: Network; slot: number };

export type BlockRow = Partial<FinalizedBlock> &
  Pick<FinalizedBlock, 'epoch' | 'consensusSlot' | 'blockTimestamp' | 'validatorIndex'> & {
    network: Network;
  };

const fields = {
  ...recordColumns(Block.omit({ epoch: true, blockTimestamp: true }), 'b'),
  consensusSlot: sql`b.slot`,
  relays: sql`coalesce(b.relays, '{}')`,
  blockBuilderPubkeys: sql`coalesce(b.block_builder_pubkeys, '{}')`,
  finalized: sql`b.finalized`,
};

type StoredField = keyof typeof fields;
type StoredRow = Omit<BlockRow, 'epoch' | 'blockTimestamp'>;
type Selection = {
  columns: Sql;
  row: z.ZodType<StoredRow>;
  listed: z.ZodType<StoredRow & { list: number }>;
};
const selections = boundedMap<Selection>(500);

function selection(asked: readonly BlockField[]): Selection {
  const stored = asked.filter((name): name is StoredField => name in fields);
  const names = [...new Set<StoredField>(['consensusSlot', 'validatorIndex', ...stored])].sort();
  const known = selections.get(names.join());
  if (known) return known;
  const mask = Object.fromEntries(names.map((name) => [name, true]));
  const row = FinalizedBlock.pick(mask as { consensusSlot: true }).extend({ network: Network });
  const made = {
    columns: selectList(fields, names),
    row,
    listed: row.extend({ list: count() }),
  } as unknown as Selection;
  selections.set(names.join(), made);
  return made;
}

const timed = <Row extends StoredRow>(row: Row) => ({
  ...row,
  epoch: Math.floor(row.consensusSlot / SLOTS_PER_EPOCH),
  blockTimestamp: timestampText(slotStart(row.network, row.consensusSlot)),
});

type BlockFilter = {
  proposer: number | null;
  operator: OperatorScope | null;
  outcome: ProposerDuty | null;
  finalized: boolean | null;
};
export type BlockList = { network: Network; slots: Ends; where: BlockFilter; ascending: boolean };

/** Literals let the planner use partial indexes. */
const outcomeIs = (alias: string, outcome: ProposerDuty | null): Sql =>
  outcome === null ? sql`` : raw(` and ${alias}.consensus_proposer_duty = '${outcome}'`);
const finalizedIs = (finalized: boolean | null): Sql =>
  finalized === null ? sql`` : raw(` and ${finalized ? '' : 'not '}b.finalized`);

const slotsWithin = (alias: string, { first, last }: Ends): Sql =>
  sql`${raw(`${alias}.slot`)} between ${first}::bigint and ${last}::bigint`;

function plainSource({ network, where }: BlockList, slots: Ends): Sql {
  const { proposer, operator, outcome, finalized } = where;
  return sql`blocks b
    where b.network = ${network} and ${slotsWithin('b', slots)}${outcomeIs('b', outcome)}${finalizedIs(finalized)}
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
  const { outcome, finalized } = where;
  const open = sql`and o.slot >= (select min(slot) from blocks where network = ${network} and not finalized)`;
  return sql`block_operators o
      ${finalized === null ? sql`` : sql`join blocks b on (b.network, b.slot) = (o.network, o.slot)`}
      where o.network = ${network} and ${isMember('o', network, operator)}
        and ${slotsWithin('o', slots)}${outcomeIs('o', outcome)}${finalizedIs(finalized)} ${finalized === false ? open : sql``}`;
}

export async function blockPage(
  db: Queryable,
  list: BlockList,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<BlockRow[]> {
  const { columns, row } = selection(asked);
  const { operator, proposer } = list.where;
  const slots = endsOfPage(range, list.slots, list.ascending);
  const direction = list.ascending === (range.backward === true) ? sql`desc` : sql``;
  const page = (alias: string) =>
    sql`order by ${raw(`${alias}.slot`)} ${direction} limit ${rowsToRead(range)}`;
  const source =
    operator === null || proposer !== null
      ? sql`from ${plainSource(list, slots)} ${page('b')}`
      : sql`from (select o.slot from ${operatorSource(list, operator, slots)} ${page('o')}) page
    join blocks b on (b.network, b.slot) = (${list.network}, page.slot)
    order by b.slot ${direction}`;
  const found = await rows(db, row, sql`/* blockPage */ select b.network, ${columns} ${source}`);
  return found.map(timed);
}

export const blockTotal = (db: Queryable, network: Network): Promise<number> =>
  totalOf(db, sql`/* blockTotal */ select total from block_counts where network = ${network}`);

export function blockCount(db: Queryable, list: BlockList): Promise<number> {
  const { operator, proposer } = list.where;
  const source =
    operator === null || proposer !== null
      ? plainSource(list, list.slots)
      : operatorSource(list, operator, list.slots);
  return totalOf(db, sql`/* blockCount */ select count(*)::int as total from ${source}`);
}

export async function blocksBySlot(
  db: Queryable,
  keys: readonly BlockKey[],
  asked: readonly BlockField[],
): Promise<BlockRow[]> {
  const { columns, row } = selection(asked);
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

const within = ({ after, before }: Range<number>) =>
  sql`${after === undefined ? sql`` : sql`and b.slot < ${after}::bigint`}
    ${before === undefined ? sql`` : sql`and b.slot > ${before}::bigint`}`;
const order = (range: Range<number>) => (range.backward ? sql`` : sql`desc`);

export async function proposerBlockPages(
  db: Queryable,
  proposers: readonly ValidatorKey[],
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<(BlockRow & { list: number })[]> {
  const { columns, listed } = selection(asked);
  const found = await rows(
    db,
    listed,
    sql`/* proposerBlockPages */
    select k.list::int - 1 as "list", page.*
    from ${keyTable(proposers, validatorColumns)}
    cross join lateral (
      select b.network, ${columns}
      from blocks b
      where b.network = k.network and b.validator_index = k.validator_index ${within(range)}
      order by b.slot ${order(range)}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page."consensusSlot" ${order(range)}`,
  );
  return found.map(timed);
}

const ProposalCountsRow = z.object({ list: count(), proposed: count(), missed: count(), orphaned: count() });
export type ProposalCounts = Omit<z.infer<typeof ProposalCountsRow>, 'list'>;

export function operatorProposalCounts(
  db: Queryable,
  operators: readonly OperatorId[],
  slots: Ends,
): Promise<z.infer<typeof ProposalCountsRow>[]> {
  const counted = (outcome: ProposerDuty) =>
    raw(`(count(*) filter (where o.consensus_proposer_duty = '${outcome}'))::int as ${outcome}`);
  return rows(
    db,
    ProposalCountsRow,
    sql`/* operatorProposalCounts */
    select k.list, o.*
    from ${askedOperators(operators)} k
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
    ) o`,
  );
}
