-- Sums by month of the days of validators, so that a refresh of the window `all` reads days of the newest month only.
-- Windows consist of chain days, so UTC days have no sums.
create table validator_month_sums (
  network text collate "C" not null,
  month date not null,
  validator_index integer not null,
  end_epoch integer not null,
  -- days with attestation duties; the sums are over these days
  days smallint not null,
  total_unique_attestations integer not null,
  sum_missed_attestations integer not null,
  sum_correct_head integer not null,
  sum_correct_target integer not null,
  sum_correct_source integer not null,
  sum_inclusion_delay integer not null,
  proposed_count integer not null,
  missed_proposal_count integer not null,
  -- of both layers, and the effective balances that earned them
  rewards bigint not null,
  earning bigint not null,
  primary key (network, month, validator_index)
);

-- Months with stored days. `due`: a day has changed since the month was summed.
create table validator_months (
  network text collate "C" not null,
  -- its first date
  month date not null check (month = date_trunc('month', month::timestamp)::date),
  due boolean not null default true,
  -- its first chain day; null until it is summed
  first_day integer,
  primary key (network, month)
);
insert into validator_months (network, month)
select distinct network, date_trunc('month', date::timestamp)::date from validator_day_dates where not utc;

-- Whether the window `all` keeps the figures of a month after its days are dropped.
create function validator_sums_cover(asked_network text, asked_month date) returns boolean language sql stable as $$
  select not exists (
    select from validator_day_dates d
    where d.network = asked_network and not d.utc
      and d.date >= asked_month and d.date < (asked_month + interval '1 month')::date
  ) or exists (
    select from validator_months m where m.network = asked_network and m.month = asked_month and not m.due
  )
$$;
