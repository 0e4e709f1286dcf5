import { expect, it } from 'vitest';
import { accountOf } from '../support/account.ts';
import { archiveMonths, sumAllOlderDays } from '../support/archive-months.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);

/** A number below `most` that depends on the row and `salt` alone. */
const number = (salt: string, most: number) =>
  `(abs(hashtext(v || '-' || date || utc || '${salt}')) % ${most})`;
const sometimes = (salt: string, then: string) => `case when ${number(salt, 5)} > 0 then ${then} end`;

/** Of 40 validators on 12 dates of four months: some without duties, some with balances that move, all figures odd and even. */
const made = `
  insert into validator_days (network, validator_index, utc, day, date, start_epoch, end_epoch,
    sum_missed_sync_signatures, sum_sync_signature_count, total_unique_attestations, sum_missed_attestations,
    sum_correct_head, sum_correct_target, sum_correct_source, sum_wrong_head_votes, sum_wrong_target_votes,
    sum_late_target_votes, sum_late_source_votes, sum_inclusion_delay, proposed_count, missed_proposal_count,
    end_epoch_balance, end_epoch_effective_balance, sum_attestation_rewards, sum_sync_committee_rewards,
    sum_proposer_rewards, sum_priority_fees, sum_baseline_mev, effective_balance_epochs, start_effective_balance,
    empty_payload_count)
  select 'mainnet', v, utc, date - '2020-12-01', date, first, first + ${number('epochs', 225)},
    ${sometimes('sync', number('missed sync', 32))}, ${sometimes('sync', number('sync', 7200))}, attested,
    case when ${number('duty', 7)} > 0 then ${number('missed', 225)} else 0 end,
    least(attested, ${number('head', 225)}), least(attested, ${number('target', 225)}), least(attested, ${number('source', 225)}),
    ${number('wrong head', 9)}, ${number('wrong target', 9)}, ${number('late target', 9)}, ${number('late source', 9)},
    attested + ${number('delay', 99)} * sign(attested), ${number('proposed', 3)}, ${number('missed block', 2)},
    32000000000 + ${number('balance', 2000000000)}, 32000000000 + ${number('effective', 9)} * 500000001::bigint,
    ${number('reward', 30000000)} - 10000000, ${number('sync reward', 3000)} - 1000, ${number('proposer', 50000000)},
    ${number('fees', 90000000)}, ${number('mev', 90000000)},
    ${sometimes('known', `225 * 32000000000 + ${number('sum', 1000000)}`)},
    ${sometimes('start', `32000000000 + ${number('start balance', 4)} * 700000001::bigint`)},
    ${sometimes('payload', number('empty', 2))}
  from (
    select v, utc, date, 225 * (date - date '2020-12-01') as first,
      case when ${number('attested', 9)} > 0 then ${number('attestations', 225)} else 0 end as attested
    from generate_series(1, 40) v, unnest('{f,t}'::boolean[]) utc,
      unnest('{2025-01-01,2025-01-02,2025-01-31,2025-02-01,2025-02-10,2025-02-28,2025-03-01,2025-03-31,2025-04-01,2025-04-02,2025-06-05,2025-06-06}'::date[]) date
    where ${number('stored', 11)} > 0
  ) days`;

it('days of a set have the same digits whether those of its validators are archived or in the database', async () => {
  await run(
    `select validator_day_parts(array(select date '2025-01-01' + 28 * n from generate_series(0, 6) n))`,
  );
  await run(`insert into validators (network, validator_index, validator_pubkey, slashed)
    select 'mainnet', v, '0x' || lpad(to_hex(v), 96, '0'), false from generate_series(1, 40) v`);
  await run(made);
  await run(`insert into validator_day_dates (network, utc, day, date)
    select distinct network, utc, day, date from validator_days`);
  await run(`insert into validator_months (network, month, due)
    select distinct network, date_trunc('month', date)::date, true from validator_days where date < '2025-03-01'`);
  const account = await accountOf(gateway);
  const indices = Array.from({ length: 40 }, (_, n) => n + 1);
  const created = await account.post('/v1/eth/tags', { name: 'all', validators: indices });
  expect(created.status).toBe(201);
  const { id } = created.json;
  // Some joined in the middle of a month, some left, and one did both.
  await run(`update private_set_members set counts_from = '2025-02-10' where validator_index % 7 = 0`);
  await run(
    `update private_set_members set removed_at = '2025-03-31T00:00:00Z' where validator_index % 5 = 0`,
  );
  await run(`insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select set_id, validator_index, validator_pubkey, now(), '2025-04-02' from private_set_members where validator_index = 35`);
  const summed = async () => {
    await run(`delete from private_set_days`);
    await run(`update private_set_members set summed_from = '2025-06-01'`);
    await run(`update private_sets set complete_from = '2025-06-01'`);
    await sumAllOlderDays(gateway.database.pool);
    return run(`select * from private_set_days where set_id = '${id}' order by utc, day`);
  };

  const stored = await summed();
  expect(stored).toHaveLength(20);
  await archiveMonths(gateway.database.pool);
  expect(await run("select from validator_days where date < date '2025-03-01' limit 1")).toEqual([]);
  expect(await summed()).toEqual(stored);
});
