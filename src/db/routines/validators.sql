-- Whether the window `all` keeps the figures of a month after its days are dropped.
create or replace function validator_sums_cover(asked_network text, asked_month date) returns boolean language sql stable as $$
  select not exists (
    select from validator_day_dates d
    where d.network = asked_network and not d.utc
      and d.date >= asked_month and d.date < (asked_month + interval '1 month')::date
  ) or exists (
    select from validator_months m where m.network = asked_network and m.month = asked_month and not m.due
  )
$$;
