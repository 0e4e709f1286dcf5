import { Network } from '../../chain/networks.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { beyond, keyTable, queryOf, raw, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import { snake } from '../../kernel/names.ts';
import { keysOfPage, type Order, type Range, rowsToRead } from '../../kernel/page.ts';
import { Builder, builderFields } from './record.ts';

export type BuilderKey = { network: Network; pubkey: string };
export type BuilderRow = Builder & { network: Network };

/** There is an index for each. */
export const builderOrders = [
  'bidCount',
  'fullCount',
  'withheldCount',
  'sumPaidValue',
  'balance',
  'index',
] as const;
export type BuilderList = {
  network: Network;
  where: { executionAddress: string | null; exited: boolean | null };
  order: Order<(typeof builderOrders)[number]>;
};
/** `at` is the value of the order, as text. */
export type BuilderPosition = { at: string; pubkey: string };

const select = sql`b.network, ${selectList(recordColumns(Builder, 'b'), builderFields)}`;
const Row = Builder.extend({ network: Network });

const matching = ({ network, where: { executionAddress, exited } }: BuilderList): Sql =>
  sql`b.network = ${network}
      ${executionAddress === null ? sql`` : sql`and b.execution_address = ${executionAddress}`}
      ${exited === null ? sql`` : raw(`and b.withdrawable_epoch is ${exited ? 'not null' : 'null'}`)}`;

export const builderPage = queryOf(Row, (list: BuilderList, range: Range<BuilderPosition>) => {
  const ascending = list.order.direction === 'asc';
  const { above, below, direction } = keysOfPage({ ...range, ascending });
  const [column, order] = [raw(`b.${snake(list.order.field)}`), raw(direction)];
  const past = (than: '>' | '<', { at, pubkey }: BuilderPosition) =>
    beyond([column, sql`b.pubkey`], than, [sql`${at}::bigint`, sql`${pubkey}::text`]);
  return sql`/* builderPage */
    select ${select}
    from builders b
    where ${matching(list)}
      ${above ? past('>', above) : sql``}
      ${below ? past('<', below) : sql``}
    order by ${column} ${order}, b.pubkey ${order}
    limit ${rowsToRead(range)}`;
});

export const builderTotal = totalBy(
  (list: BuilderList) => sql`/* builderTotal */
    select count(*)::int as total from builders b where ${matching(list)}`,
);

export const buildersByPubkey = queryOf(
  Row,
  (keys: readonly BuilderKey[]) => sql`/* buildersByPubkey */
    select ${select}
    from ${keyTable(keys, { network: ['text', 'network'], pubkey: ['text', 'pubkey'] })}
    join builders b using (network, pubkey)`,
);
