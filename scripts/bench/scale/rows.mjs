// The generated rows of bench:scale. `run` runs a statement.

/** The first generated day; day 0 is 2020-12-01. */
export const FIRST = 1_507;
/** Of sync committees. */
export const SLOTS = 20_000;
/** Consolidations begin with it, four months after the first day. */
const FIRST_EPOCH = 364_032;
/** 29 of 30 validators of the large pool were consolidated into the others. */
const consolidated = (large) => Math.floor((large * 29) / 30);
/** A third of the consolidations are before it. */
export const fromDay = (large) => Math.floor((FIRST_EPOCH + consolidated(large) / 27) / 225);

const daysOfValidators = `insert into validator_days
  select 'mainnet', i, $3::boolean, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null,
    225 - m, m, 225 - m - (i + d) % 7, 225 - m, 225 - m, (i + d) % 7, 0, 0, 0, 225 - m + (i::bigint * d) % 9,
    case when (i + d) % 200 = 0 then 1 else 0 end, case when (i + d) % 9970 = 0 then 1 else 0 end,
    32000000000 + i * 17::bigint + d, 32000000000, 2000000 + i % 1000, 0, 0, 0, 0
  from generate_series(0, $1::int - 1) i, lateral (select $2::int as d) d,
    lateral (select case when (i * 31::bigint + d) % 50 = 0 then 3 else 0 end as m) x`;

const sumsOfMonth = `insert into validator_month_sums (network, month, validator_index, end_epoch,
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

const pubkey = (index) => `'0x' || lpad(to_hex(${index}), 96, '0')`;

/**
 * The pool "Large" has the first `large` validators and 30 node operators; the others have 60 pools and 300 operators. A
 * deposit address belongs to one of each.
 */
export async function fillValidators(run, { validators, large }) {
  await run(
    `insert into validators (network, validator_index, validator_pubkey, deposit_address, withdrawal_address,
      node_operator, pool, activation_epoch, exit_epoch, slashed)
    select 'mainnet', i, ${pubkey('i')}, '0x' || lpad(to_hex(i / 10), 40, '0'), '0x' || lpad(to_hex(i / 20), 40, '0'),
      'Operator ' || case when i < $2::int then i / 10 % 30 else i / 10 % 300 end,
      case when i < $2 then 'Large' else 'Pool ' || i / 70 % 60 end,
      i / 8, case when i >= $2 and i % 500 = 0 then 500000 end, i % 5000 = 0
    from generate_series(0, $1::int - 1) i`,
    [validators, large],
  );
}

/** Those of the large pool into it, one for each 30 of them in other pools, and the balances of the chain at their epochs. */
export async function fillConsolidations(run, { large }) {
  await run(
    `insert into consolidations
    select 'mainnet', s, ${pubkey('s')}, t, ${pubkey('t')}, ${FIRST_EPOCH} + n / 9, 32000000000 + n % 1000003
    from (
      select i as s, $1::int + i / 29 as t, i::bigint * 7919 % $1 as n from generate_series(0, $1::int - 1) i
      union all
      select $2::int + i, $2 + $2 / 30 + i / 2, i::bigint * $1 / ($2 / 30) from generate_series(0, $2 / 30 - 1) i
    ) c order by n`,
    [consolidated(large), large],
  );
  await run(
    `insert into chain_balances
    select 'mainnet', ${FIRST_EPOCH} + i * 10, 35000000000000000 from generate_series(0, $1::int / 90 + 1) i`,
    [consolidated(large)],
  );
  await run(`select store_consolidation_totals('mainnet')`);
}

export async function fillDay(run, { validators }, day) {
  await run(`select validator_day_parts(array['2020-12-01'::date + $1::int])`, [day]);
  await run(daysOfValidators, [validators, day, false]);
  await run(
    `insert into validator_day_dates (network, utc, day, date)
    values ('mainnet', false, $1::int, '2020-12-01'::date + $1::int)`,
    [day],
  );
  await run(
    `insert into validator_months (network, month)
    select 'mainnet', date_trunc('month', '2020-12-01'::timestamp + $1::int * interval '1 day')::date
    on conflict do nothing`,
    [day],
  );
}

/** The sums of the `n`th month before January 2025, of which no days are stored. */
export async function fillMonth(run, { validators }, n) {
  const month = new Date(Date.UTC(2025, -n, 1)).toISOString().slice(0, 10);
  await run(sumsOfMonth, [validators, month]);
  await run(
    `insert into validator_months (network, month, due, first_day) values ('mainnet', $1, false, $1::date - '2020-12-01'::date)`,
    [month],
  );
}

export async function fillCommittees(run) {
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
}

/** `blocks` slots from `firstBlock` on, a block in each. */
export async function fillBlocks(run, { validators, firstBlock, blocks }) {
  for (let slot = firstBlock; slot < firstBlock + blocks; slot += 100_000)
    await run(
      `insert into blocks (network, slot, validator_index, consensus_proposer_duty, relays, block_builder_pubkeys)
      select 'mainnet', s, s::bigint * 7919 % $3::int, 'proposed', array['relay ' || s % 6], '{}'
      from generate_series($1::int, least($1::int + 100000, $2::int) - 1) s`,
      [slot, firstBlock + blocks, validators],
    );
}
