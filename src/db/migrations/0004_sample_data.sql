-- Says that the sample data was loaded into this database, so that a later start does not bring it back.
create table sample_data (
  loaded_at timestamptz primary key default now()
);
