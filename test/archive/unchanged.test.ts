import { expect, it } from 'vitest';
import { checkedMonths } from '../../src/archive/read.ts';
import { transaction } from '../../src/db/pool.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

it('Statements that check the archived months are scanned by several processes of PostgreSQL', async () => {
  const { text: condition, values } = checkedMonths(['mainnet'], { from: null, to: null }, []);
  const plan = await transaction(gateway.database.pool, async (client) => {
    await client.query(`set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0;
      set local min_parallel_table_scan_size = 0; set local enable_indexscan = off; set local enable_bitmapscan = off`);
    const { rows } = await client.query({
      text: `explain select count(*) from validators where network = 'mainnet' and ${condition}`,
      values,
    });
    return rows.map((row) => Object.values(row)[0]).join('\n');
  });
  expect(plan).toMatch(/Parallel Seq Scan/);
});
