// The generated rows of scale.mjs.

/** The first generated day; day 0 is 2020-12-01. */
export const FIRST = 1_507;
/** Of sync committees. */
export const SLOTS = 20_000;

const fillDay = `insert into validator_days
  select 'mainnet', i, $3::boolean, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null,
    225 - m, m, 225 - m - (i + d) % 7, 225 - m, 225 - m, (i + d) % 7, 0, 0, 0, 225 - m + (i::bigint * d) % 9,
    case when (i + d) % 200 = 0 then 1 else 0 end, case when (i + d) % 9970 = 0 then 1 else 0 end,
    32000000000 + i * 17::bigint + d, 32000000000, 2000000 + i % 1000, 0, 0, 0, 0
  from generate_series(0, $1::int - 1) i, lateral (select $2::int as d) d,
    lateral (select case when (i * 31::bigint + d) % 50 = 0 then 3 else 0 end as m) x`;

const fillMonth = `insert into validator_month_sums (network, month, validator_index, end_epoch,
    total_unique_attestations, sum_missed_attestations, sum_correct_head, sum_correct_target, sum_correct_source,
    sum_inclusion_delay, proposed_count, missed_proposal_count, apr_rewards, apr_stake)
  select 'mainnet', $2::date, i, ($2::date - '2020-12-01'::date) * 225 + 6749, 6720, 30, 6720 - i % 50, 6720, 6720,
    6720 + i % 70, i % 3, 0, 60000000 + i % 1000, 216000000000000
  from generate_series(0, $1::int - 1) i`;

/** A day of validators as the file of an import. */
export function* ndjson(validators, day) {
  for (let start = 0; start < validators; start += 5_000) {
    let text = '';
    for (let i = start; i < Math.min(validators, start + 5_000); i += 1) {
      const missed = (i * 31 + day) % 50 === 0 ? 3 : 0;
      const all = 225 - missed;
      text += `${JSON.stringify({
        ...{ validatorIndex: i, utc: false, day, startEpoch: day * 225, endEpoch: day * 225 + 224 },
        ...{ totalUniqueAttestations: all, sumMissedAttestations: missed, sumMissedSyncSignatures: null },
        ...{ sumSyncSignatureCount: null, sumCorrectHead: all - ((i + day) % 7), sumCorrectTarget: all },
        ...{ sumCorrectSource: all, sumWrongHeadVotes: (i + day) % 7, sumWrongTargetVotes: 0 },
        ...{ sumLateTargetVotes: 0, sumLateSourceVotes: 0, sumInclusionDelay: all + ((i * day) % 9) },
        ...{ proposedCount: (i + day) % 200 === 0 ? 1 : 0, missedProposalCount: 0 },
        ...{ endEpochBalance: 32_000_000_000 + i * 17 + day, endEpochEffectiveBalance: 32_000_000_000 },
        ...{ sumAttestationRewards: 2_000_000 + (i % 1_000), sumSyncCommitteeRewards: 0 },
        ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
      })}\n`;
    }
    yield text;
  }
}

/** Fills a new database with all days but the `last`, which is to be imported. `run` runs a statement. */
export async function fill(run, { validators, last, months, firstBlock, blocks }) {
  await run(
    `insert into validators (network, validator_index, validator_pubkey, deposit_address, withdrawal_address,
      node_operator, pool, activation_epoch, slashed)
    select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), '0x' || lpad(to_hex(i / 10), 40, '0'),
      '0x' || lpad(to_hex(i / 20), 40, '0'), 'Operator ' || i % 300, 'Pool ' || i / 7 % 60, 0, false
    from generate_series(0, $1::int - 1) i`,
    [validators],
  );
  await run(
    `select validator_day_parts(array(select '2020-12-01'::date + d from generate_series($1::int, $2::int) d))`,
    [FIRST, last],
  );
  for (let day = FIRST; day < last; day += 1) {
    await run(fillDay, [validators, day, false]);
    await run(
      `insert into validator_day_dates values ('mainnet', false, $1::int, '2020-12-01'::date + $1::int)`,
      [day],
    );
  }
  await run(`insert into validator_months (network, month)
    select distinct network, date_trunc('month', date::timestamp)::date from validator_day_dates`);
  for (let n = 1; n <= months; n += 1) {
    const month = `${new Date(Date.UTC(2025, -n, 1)).toISOString().slice(0, 10)}`;
    await run(fillMonth, [validators, month]);
    await run(
      `insert into validator_months (network, month, due, first_day) values ('mainnet', $1, false, $1::date - '2020-12-01'::date)`,
      [month],
    );
  }
  await run(
    `with c as (
      select sync_committee('mainnet', array_agg(v order by v), array_agg(p order by v)) as committee
      from (select p::smallint as p, p * 1901 % 1000000 as v from generate_series(0, 511) p) s
    )
    insert into sync_committee_slots
    select 'mainnet', slot, c.committee, array(
      select case when (r * 7919 + slot::bigint * 104729) % 1000 < 20 then -23018 else 23018 end from generate_series(0, 511) r)
    from c, generate_series($1::int, $1::int + $2::int - 1) slot`,
    [FIRST * 7_200, SLOTS],
  );
  for (let slot = firstBlock; slot < firstBlock + blocks; slot += 100_000)
    await run(
      `insert into blocks (network, slot, validator_index, consensus_proposer_duty, relays, block_builder_pubkeys)
      select 'mainnet', s, s::bigint * 7919 % $3::int, 'proposed', array['relay ' || s % 6], '{}'
      from generate_series($1::int, least($1::int + 100000, $2::int) - 1) s`,
      [slot, firstBlock + blocks, validators],
    );
  for (const table of [
    'validators',
    'validator_days',
    'validator_month_sums',
    'blocks',
    'sync_committee_slots',
  ])
    await run(`vacuum analyze ${table}`);
}
