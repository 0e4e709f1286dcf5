import type pg from 'pg';
import { isDistributed } from '../../db/distributed/layout.ts';
import { raw, type Sql, sql } from '../../db/rows.ts';

const operators = ['deposit_address', 'withdrawal_address', 'node_operator', 'pool'];
const of = (alias: string) => operators.map((name) => `${alias}.${name}`).join(', ');

/** Distributed databases lack the triggers of plain ones. */
async function store(client: pg.ClientBase, changed: () => Sql): Promise<void> {
  if (!isDistributed()) return;
  const { text, values } = sql`/* storeBlockOperators */
    insert into block_operators as o
    select b.network, b.slot, b.consensus_proposer_duty, ${raw(of('v'))} from ${changed()} order by b.network, b.slot
    on conflict (network, slot) do update
      set (consensus_proposer_duty, ${raw(operators.join(', '))}) = (excluded.consensus_proposer_duty, ${raw(of('excluded'))})
      where (o.consensus_proposer_duty, ${raw(of('o'))}) is distinct from (excluded.consensus_proposer_duty, ${raw(of('excluded'))})`;
  await client.query(text, values);
}

/** Call after a merge. */
export const storeStagedOperators = (client: pg.ClientBase, staged: 'blocks' | 'validators') =>
  store(client, () =>
    staged === 'blocks'
      ? sql`staged b join validators v using (network, validator_index)`
      : sql`staged v join blocks b using (network, validator_index)`,
  );

/** Call after writing blocks. */
export const storeOperatorsOfSlots = (client: pg.ClientBase, network: string, slots: readonly number[]) =>
  store(
    client,
    () => sql`blocks b join validators v using (network, validator_index)
    where b.network = ${network} and b.slot = any(${[...slots]}::int[])`,
  );

/** Call after changing names or addresses of validators. */
export const storeOperatorsOfValidators = (
  client: pg.ClientBase,
  network: string,
  validators: ArrayLike<number>,
) =>
  store(
    client,
    () => sql`validators v join blocks b using (network, validator_index)
    where v.network = ${network} and v.validator_index = any(${Array.from(validators)}::int[])`,
  );

export const removeBlockOperators = (client: pg.ClientBase, network: string, validators: readonly number[]) =>
  client.query(
    `/* removeBlockOperators */
    delete from block_operators o using blocks b
    where o.network = b.network and o.slot = b.slot and b.network = $1 and b.validator_index = any($2::int[])`,
    [network, validators],
  );
