import type { z } from 'zod';
import { SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { keyTable, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalOf } from '../../db/total.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { count } from '../../kernel/leaves.ts';
import { type Range, rowsToRead } from '../../kernel/page.ts';
import { timestampText } from '../../kernel/time.ts';
import { type ValidatorKey, validatorColumns } from '../validators/loaders.ts';
import { Block, type BlockField, FinalizedBlock } from './record.ts';

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

/** Slots descend, so `after` is the upper bound. */
const within = ({ after, before }: Range<number>) =>
  sql`${after === undefined ? sql`` : sql`and b.slot < ${after}::bigint`}
    ${before === undefined ? sql`` : sql`and b.slot > ${before}::bigint`}`;
const order = (range: Range<number>) => (range.backward ? sql`` : sql`desc`);

export async function blockPage(
  db: Queryable,
  network: Network,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<BlockRow[]> {
  const { columns, row } = selection(asked);
  const found = await rows(
    db,
    row,
    sql`/* blockPage */
    select b.network, ${columns}
    from blocks b
    where b.network = ${network} ${within(range)}
    order by b.slot ${order(range)}
    limit ${rowsToRead(range)}`,
  );
  return found.map(timed);
}

/** Reads a stored count: counting millions of rows would cost more than a page. */
export const blockTotal = (db: Queryable, network: Network): Promise<number> =>
  totalOf(db, sql`/* blockTotal */ select total from block_counts where network = ${network}`);

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
