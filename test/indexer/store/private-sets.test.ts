import { expect, it, onTestFinished } from 'vitest';
import { epochsOfDay } from '../../../src/chain/calendar.ts';
import { accountOf } from '../../support/account.ts';
import { startGateway } from '../../support/gateway.ts';
import { type Made, pubkeyOf } from './made-facts.ts';
import { NETWORK, query, writeEpochs } from './rows.ts';

const utcDay = epochsOfDay(NETWORK, 'utc', 11);
const [FROM, TO] = [utcDay.first - 3, utcDay.first + 2];
const made: Made = {
  size: 12,
  exits: { 7: utcDay.first },
  slashed: { 7: { epoch: FROM, withdrawable: TO + 100 } },
};

it('days of a private set follow those that an index writes, also penalties that come later', async () => {
  const gateway = await startGateway({ template: 'empty' });
  onTestFinished(() => gateway.close());
  const { pool } = gateway.database;
  const account = await accountOf(gateway);
  const { rows } = await query(
    pool,
    `insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
    values ($1, $2, 'Own', 'a token', now(), now()) returning set_id`,
    [account.id, NETWORK],
  );
  await query(
    pool,
    `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select $1, v, pubkey, now(), '2000-01-01' from unnest($2::int[], $3::text[]) as g (v, pubkey)`,
    [rows[0]?.set_id, [3, 7], [3, 7].map(pubkeyOf)],
  );
  await writeEpochs(pool, made, { from: FROM, to: TO });
  const sums = async (table: string, where: string) =>
    (
      await query(
        pool,
        `select utc, day, sum(sum_attestation_rewards)::text as rewards, sum(total_unique_attestations)::text as votes
        from ${table} where ${where} group by utc, day order by utc, day`,
      )
    ).rows;
  const days = await sums('validator_days', 'validator_index in (3, 7)');
  expect(days).toHaveLength(3);
  expect(await sums('private_set_days', 'true')).toEqual(days);
});
