import type pg from 'pg';
import { isDistributed } from '../../db/distributed/layout.ts';

/** Call after a merge, because distributed databases lack the triggers of plain ones. */
export async function storeBlockOperators(
  client: pg.ClientBase,
  staged: 'blocks' | 'validators',
): Promise<void> {
  if (!isDistributed()) return;
  const operators = ['deposit_address', 'withdrawal_address', 'node_operator', 'pool'];
  const of = (alias: string) => operators.map((name) => `${alias}.${name}`).join(', ');
  const from = {
    blocks: 'staged b join validators v using (network, validator_index)',
    validators: 'staged v join blocks b using (network, validator_index)',
  };
  await client.query(
    `/* storeBlockOperators */
    insert into block_operators as o
    select b.network, b.slot, b.consensus_proposer_duty, ${of('v')} from ${from[staged]} order by b.network, b.slot
    on conflict (network, slot) do update
      set (consensus_proposer_duty, ${operators.join(', ')}) = (excluded.consensus_proposer_duty, ${of('excluded')})
      where (o.consensus_proposer_duty, ${of('o')}) is distinct from (excluded.consensus_proposer_duty, ${of('excluded')})`,
  );
}

export const removeBlockOperators = (client: pg.ClientBase, network: string, validators: readonly number[]) =>
  client.query(
    `/* removeBlockOperators */
    delete from block_operators o using blocks b
    where o.network = b.network and o.slot = b.slot and b.network = $1 and b.validator_index = any($2::int[])`,
    [network, validators],
  );
