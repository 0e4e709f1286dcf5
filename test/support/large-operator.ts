import type { Queryable } from '../../src/db/pool.ts';

export const LARGE = 'Large Operator';
export const FIRST = 5_000_000;

/** Makes a node operator of the sample data one of so many validators, a fifth of which were consolidated after Electra. */
export async function makeLargeOperator(db: Queryable, validators = 300_000): Promise<void> {
  const statements = [
    `update operator_summaries s set operator_id = '${LARGE}' from (
      select network, operator_id from operator_summaries
      where id_type = 'nodeOperator' and network = 'mainnet' and not superseded order by summary_id limit 1
    ) o where (s.network, s.operator_id, s.id_type) = (o.network, o.operator_id, 'nodeOperator')`,
    `insert into validators (network, validator_index, validator_pubkey, deposit_address, withdrawal_address,
      node_operator, pool, activation_epoch, exit_epoch, slashed)
    select 'mainnet', ${FIRST} + n, '0x' || md5(n::text) || md5('a' || n) || md5('b' || n), '0x' || repeat('ab', 20),
      '0x' || repeat('cd', 20), '${LARGE}', '${LARGE} Pool', 100000 + n, case when n % 10 = 0 then 380000 + n % 1000 end,
      n % 10000 = 0
    from generate_series(0, ${validators - 1}) n`,
    `insert into consolidations
      (network, source_index, source_pubkey, target_index, target_pubkey, epoch, consolidated_balance)
    select network, validator_index, validator_pubkey, ${FIRST}, '0x' || md5('0') || md5('a0') || md5('b0'),
      365000 + (validator_index - ${FIRST}) / 4, 32000000000
    from validators where network = 'mainnet' and node_operator = '${LARGE}' and validator_index % 5 = 1`,
    `select store_consolidation_totals('mainnet')`,
    'vacuum analyze validators',
    'vacuum analyze consolidations',
    'vacuum analyze entity_consolidations',
  ];
  for (const text of statements) await db.query({ text, values: [] });
}
