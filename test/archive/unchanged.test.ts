import { expect, it } from 'vitest';
import { withMonths } from '../../src/archive/read.ts';
import { transaction } from '../../src/db/pool.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

it('Statements that check the archived months are scanned by several processes of PostgreSQL', async () => {
  const networks = ['mainnet'];
  const plan = await withMonths(gateway.database.pool, networks, { from: null, to: null }, ({ condition }) =>
    transaction(gateway.database.pool, async (client) => {
      await client.query(`set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0;
      set local min_parallel_table_scan_size = 0; set local enable_indexscan = off; set local enable_bitmapscan = off`);
      const { rows } = await client.query({
        text: `explain select count(*) from validators where network = 'mainnet' and ${condition.text}`,
        values: condition.values,
      });
      return rows.map((row) => Object.values(row)[0]).join('\n');
    }),
  );
  expect(plan).toMatch(/Parallel Seq Scan/);
});
