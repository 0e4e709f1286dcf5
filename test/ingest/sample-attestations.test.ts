import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAttestationSize, loadSampleAttestations } from '../../src/sample/attestations.ts';
import { operatorsOf } from '../../src/sample/index.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { sample } from '../support/sample.ts';

const operators = operatorsOf(sample, 'mainnet');
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
  await database.pool.withClient((client) =>
    loadSampleAttestations(client, sample, operators, { ...defaultAttestationSize, days: 40, hourDays: 1 }),
  );
});
afterAll(() => database.drop());

it.each(['attestation_days', 'attestation_hours'])(
  'the sample is of duties that can be: %s',
  async (table) => {
    const text = `select a.* from ${table} a where not (
      least(total_unique_attestations, sum_missed_attestations, sum_correct_head, sum_correct_target, sum_wrong_head_votes,
        sum_wrong_target_votes, sum_late_target_votes, sum_late_source_votes, sum_inclusion_delay,
        sum_missed_sync_signatures, sum_sync_signature_count) >= 0
      and sum_correct_head + sum_wrong_head_votes = total_unique_attestations
      and sum_correct_target + sum_wrong_target_votes = total_unique_attestations
      and sum_correct_source <= total_unique_attestations
      and sum_late_target_votes <= sum_wrong_target_votes and sum_late_source_votes <= total_unique_attestations
      and (sum_missed_sync_signatures is null) = (sum_sync_signature_count is null)
      and avg_attester_effectiveness between 0 and 100) limit 3`;
    expect((await database.pool.query({ text, values: [] })).rows).toEqual([]);
    const [all] = (
      await database.pool.query({ text: `select count(*)::int as rows from ${table}`, values: [] })
    ).rows;
    expect(all?.rows).toBeGreaterThan(3 * defaultAttestationSize.entities * 24);
  },
);

const rows = async (text: string) => (await database.pool.query({ text, values: [] })).rows;

it('hours add up to their days', async () => {
  const sums = [
    'total_unique_attestations',
    'sum_missed_attestations',
    'sum_wrong_head_votes',
    'sum_inclusion_delay',
  ];
  const found = await rows(`select count(*)::int as days, count(*) filter (where ${sums
    .map((name) => `h.${name} <> d.${name}`)
    .join(' or ')})::int as off
    from attestation_days d join (
      select entity_key, utc, day, ${sums.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from attestation_hours group by entity_key, utc, day
    ) h using (entity_key, utc, day)`);
  expect(found).toEqual([{ days: 2 * 108, off: 0 }]);
});

it('both calendars have the same duties, proposals and rewards', async () => {
  // A UTC day ends half a day after the chain day of its date begins: two days of one are within three of the other.
  const [sums] = await rows(`select
    sum(sum_attestation_rewards) filter (where not utc and date between '2025-10-11' and '2025-10-20')::float8 as chain,
    sum(sum_attestation_rewards) filter (where utc and date between '2025-10-11' and '2025-10-20')::float8 as utc
    from attestation_days`);
  expect(Number(sums?.chain) / Number(sums?.utc)).toBeCloseTo(1, 3);
});

it('an operator that was down for some hours missed duties and blocks on that day, and was less effective', async () => {
  const [down, usual] =
    await rows(`select date::text, sum_missed_attestations::float8 / (sum_missed_attestations + total_unique_attestations) as missed,
      missed_proposal_count::float8 / (proposed_count + missed_proposal_count) as blocks, avg_attester_effectiveness as effectiveness
    from attestation_days d join attestation_entities e using (entity_key)
    where e.entity_id = 'Dunlin Staking' and utc order by avg_attester_effectiveness limit 2`);
  expect(down?.date).toBe('2025-10-28');
  expect(down?.missed).toBeGreaterThan(0.15);
  expect(down?.blocks).toBeGreaterThan(0.05);
  expect(down?.effectiveness).toBeLessThan(85);
  expect(usual?.missed).toBeLessThan(0.05);
  expect(usual?.effectiveness).toBeGreaterThan(93);
});

it('proposals follow the stake, and the days end with the last one', async () => {
  const found = await rows(`select e.entity_id, sum(proposed_count)::float8 / max(w.proposed) as blocks,
      avg(sum_end_epoch_effective_balance)::float8 / max(w.effective) as stake
    from attestation_days d join attestation_entities e using (entity_key), (
      select sum(proposed_count)::float8 as proposed, avg(sum_end_epoch_effective_balance)::float8 as effective
      from attestation_days d join attestation_entities e using (entity_key) where e.id_type = 'network' and utc
    ) w where e.id_type = 'pool' and utc group by e.entity_id order by 3 desc limit 10`);
  for (const { blocks, stake } of found)
    expect(Math.abs(Number(blocks) / Number(stake) - 1)).toBeLessThan(0.1);
  expect(await rows('select max(date)::text as last from attestation_days')).toEqual([
    { last: '2025-10-31' },
  ]);
});
