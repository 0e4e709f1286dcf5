import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadSampleAttestations, wholeSize } from '../../src/sample/attestations.ts';
import { sampleOperators } from '../../src/sample/index.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
  await database.pool.withClient((client) =>
    loadSampleAttestations(client, [...sampleOperators()], { ...wholeSize, days: 40, hourDays: 1 }),
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
    expect(all?.rows).toBeGreaterThan(3 * wholeSize.entities * 24);
  },
);
