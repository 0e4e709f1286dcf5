import { expect, it } from 'vitest';
import { type Queryable, transaction } from '../../src/db/pool.ts';
import { addSetDays } from '../../src/resources/private-sets/set-days.ts';
import { accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { storeDays } from '../support/set-days.ts';

const gateway = useGateway({ template: 'empty' });
const [VALIDATORS, DAYS] = [1_000, 25];

it('days of many validators are added to a set in statements of at most 20,000, which give the same sums', async () => {
  const { pool } = gateway.database;
  const query = async (text: string, values: unknown[] = []) => (await pool.query({ text, values })).rows;
  const account = await accountOf(gateway);
  await storeDays(pool, VALIDATORS, DAYS);
  const { json } = await account.post('/v1/eth/tags', { name: 'x' });
  await query(
    `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select $1, i, 'p' || i, now(), '-infinity' from generate_series(0, $2::int - 1) i`,
    [json.id, VALIDATORS],
  );
  const written: number[] = [];
  await transaction(pool, async (client) => {
    const noting: Queryable = {
      async query(statement) {
        const result = await client.query(statement);
        if (statement.text.includes('/* addSetDays */')) written.push(result.rowCount ?? 0);
        return result;
      },
    };
    const indices = Array.from({ length: VALIDATORS }, (_, index) => index);
    await addSetDays(noting, { network: 'mainnet', id: json.id }, indices);
  });
  expect(written).toEqual([20, 20, 10]); // days of the set, of two calendars
  const sums = 'count(*)::int as days, sum(sum_attestation_rewards)::text as rewards';
  expect(
    await query(`select ${sums}, sum(validator_count)::int as validators from private_set_days`),
  ).toEqual([
    {
      ...(await query(`select ${sums} from validator_days`))[0],
      ...{ days: 2 * DAYS, validators: 2 * DAYS * VALIDATORS },
    },
  ]);
});
