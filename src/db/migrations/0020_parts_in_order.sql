-- Days and hours of an entity are read in the order of their dates, which is that of the parts: a page looks into no more
-- parts than it has rows of, where by day or hour alone it looked for its first row in every part.
-- The indices are built anew, and readers of attestations wait for it: about a second for a million rows.

-- In the order in which an import writes them.
lock table attestation_hours, attestation_days in access exclusive mode;

alter table attestation_hours
  drop constraint attestation_hours_pkey,
  add primary key (entity_key, utc, date, hour);

alter table attestation_days
  drop constraint attestation_days_pkey,
  add primary key (entity_key, utc, date, day);
