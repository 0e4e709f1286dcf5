import type pg from 'pg';
import { ensureValidatorDayParts, finishValidatorDays } from '../ingest/validator-days.ts';
import { attestationPeriods } from './attestations.ts';

/** The private set of the sample data, which belongs to the account of the development token. */
const SET_ID = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const VALIDATORS = 300;
const DAYS = 60;

/** Makes the days of its validators in the database, from a noise that depends on validator and epoch alone. */
const fill = `/* sampleValidatorDays */
  insert into validator_days
  select 'mainnet', x.validator_index, x.utc, x.day, x.date, x.first, x.last,
    case when seat then noise % 60 end, case when seat then duties * 32 - noise % 60 end,
    duties - missed, missed, duties - missed - wrong_head, duties - missed - wrong_target, duties - missed,
    wrong_head, wrong_target, missed / 2, missed / 3, duties - missed + noise % 4,
    proposed, (noise % 613 = 1)::int, 32000000000 + noise * 1900, 32000000000,
    (duties - missed) * 11200 - missed * 9800 - wrong_head * 2400,
    case when seat then (duties * 32 - 2 * (noise % 60)) * 18600 else 0 end,
    proposed * (38000000 + noise * 500), proposed * (9000000 + noise * 1700), proposed * (21000000 + noise * 9100)
  from (
    select v.validator_index, p.calendar = 'utc' as utc, p.day, p.date, p.first, p.last, p.last - p.first + 1 as duties,
      ((v.validator_index * 7919::bigint + p.first * 104729::bigint) % 10007)::int as noise
    from private_set_members v
    cross join json_to_recordset($2) as p (calendar text, day int, date date, first int, last int)
    where v.set_id = $1
    order by v.validator_index, p.calendar = 'utc', p.date
  ) x
  cross join lateral (
    select case when noise % 11 = 0 then 1 + noise % 5 else 0 end as missed, noise % 7 as wrong_head,
      case when noise % 5 = 0 then noise % 3 else 0 end as wrong_target, (noise % 131 = 0)::int as proposed,
      validator_index % 97 = 3 as seat
  ) y`;

/** Fills the days of some validators of an empty database, and groups them under a tag. */
export async function loadSamplePrivateSet(client: pg.ClientBase): Promise<number> {
  const { days } = attestationPeriods({ days: DAYS, hourDays: 0, entities: 0 });
  const first = Math.min(...days.map((period) => period.first));
  await client.query(
    `/* samplePrivateSet */
    with made as (
      insert into private_sets (set_id, account_id, network, name, created_by, created_at, updated_at)
      select $1, account_id, 'mainnet', 'Sample validators', 'sample', now(), now()
      from accounts where name = 'default'
      returning set_id
    )
    insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select made.set_id, v.validator_index, v.validator_pubkey, now(), '-infinity'
    from made cross join lateral (
      select validator_index, validator_pubkey from validators
      where network = 'mainnet' and activation_epoch < $2 and exit_epoch is null
      order by validator_index limit $3
    ) v`,
    [SET_ID, first, VALIDATORS],
  );
  await ensureValidatorDayParts(
    client,
    days.map(({ date }) => date),
  );
  const filled = await client.query(fill, [SET_ID, JSON.stringify(days)]);
  await finishValidatorDays(
    client,
    days.map(({ calendar, day }) => ({ network: 'mainnet' as const, utc: calendar === 'utc', day })),
  );
  return filled.rowCount ?? 0;
}
