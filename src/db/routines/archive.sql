-- True if the archived months are those that a statement was given; else an error, because it would miss days or count them
-- twice. Stable, so that the planner calls it once and before any row is read.
create or replace function archive_unchanged(stored text[], given text[]) returns boolean
language plpgsql stable parallel safe as $$
begin
  if stored = given then
    return true;
  end if;
  raise exception 'the archived months have changed' using errcode = 'SGARC';
end $$;
