import pg from 'pg';

/**
 * The catalogue and the functions of Citus that stakegraph uses, without Citus: they note their calls, change the
 * catalogue as Citus does, and refuse what Citus 13 refuses of a table. All rows stay where they are.
 */
const stub = `
  set allow_system_table_mods = on;
  create table pg_catalog.pg_dist_partition (
    logicalrelid regclass primary key, partmethod "char" not null, partkey text, colocationid int not null,
    repmodel "char" not null
  );
  create table pg_catalog.pg_dist_node (
    nodeid int primary key, groupid int not null, nodename text not null, nodeport int not null,
    noderole text not null default 'primary', isactive boolean not null default true,
    shouldhaveshards boolean not null default true
  );
  create table pg_catalog.pg_dist_local_group (groupid int primary key);
  create table pg_catalog.citus_calls (n int generated always as identity, call text not null);
  insert into pg_dist_local_group values (0);
  insert into pg_dist_node values (1, 0, 'coordinator', 5432, 'primary', true, false),
    (2, 1, 'worker', 5432, 'primary', true, true);
  grant select on pg_dist_partition, pg_dist_node, pg_dist_local_group to public;

  create function pg_catalog.citus_version() returns text language sql as $$ select 'Citus 13.0.3 on a stub' $$;
  create function pg_catalog.column_to_column_name(table_name regclass, column_var_text text) returns text
  language sql strict as $$ select column_var_text $$;
  create function pg_catalog.citus_total_relation_size(table_name regclass, fail_on_error boolean default true)
  returns bigint language sql as $$ select pg_total_relation_size(table_name) $$;

  create function pg_catalog.refuse_as_citus(table_name regclass) returns void language plpgsql as $$
  begin
    if exists (select from pg_trigger where tgrelid = table_name and not tgisinternal) then
      raise exception 'cannot distribute relation "%" because it has triggers', table_name;
    end if;
    if exists (select from pg_constraint where conrelid = table_name and contype = 'f')
      or exists (select from pg_constraint where confrelid = table_name and contype = 'f') then
      raise exception 'cannot create foreign key constraint since relations are not colocated';
    end if;
    if exists (select from pg_attribute where attrelid = table_name and attidentity <> '' and not attisdropped) then
      raise exception 'cannot complete operation on % with identity column', table_name;
    end if;
    if exists (select from pg_dist_partition where logicalrelid = table_name) then
      raise exception 'table "%" is already distributed', table_name;
    end if;
  end $$;
  create function pg_catalog.scans_of_shards() returns bigint language sql as $$
    select coalesce(sum(pg_stat_get_xact_numscans(oid)), 0)::bigint from (
      select logicalrelid::oid as oid from pg_dist_partition where partmethod = 'h'
      union all
      select indexrelid from pg_index where indrelid in (select logicalrelid from pg_dist_partition where partmethod = 'h')
    ) of
  $$;
  create function pg_catalog.refuse_after_parallel_reads() returns event_trigger language plpgsql as $$
  begin
    if current_setting('citus.multi_shard_modify_mode', true) is distinct from 'sequential'
      and scans_of_shards() > coalesce(nullif(current_setting('stub.scans', true), '')::bigint, 0) then
      raise exception 'cannot run % command because there was a parallel operation on a distributed table in the transaction',
          lower(substring(tg_tag from '\\S+$'))
        using detail = 'When running command on/for a distributed object, Citus needs to perform all operations over a single connection per node to ensure consistency.',
          hint = 'Try re-running the transaction with "SET LOCAL citus.multi_shard_modify_mode TO ''sequential'';"';
    end if;
  end $$;
  create event trigger stub_of_citus on ddl_command_start
    when tag in ('CREATE FUNCTION', 'ALTER FUNCTION', 'DROP FUNCTION', 'CREATE TYPE', 'CREATE SCHEMA', 'CREATE DOMAIN')
    execute function refuse_after_parallel_reads();
  create function pg_catalog.create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text default 'hash', colocate_with text default 'default', shard_count int default null)
  returns void language plpgsql as $$
  begin
    insert into citus_calls (call) values (format('create_distributed_table(%s, %s, %s, %s)', table_name,
      distribution_column, colocate_with, coalesce(shard_count::text, 'default')));
    perform refuse_as_citus(table_name);
    if exists (
      select from pg_index i where i.indrelid = table_name and i.indisunique and not exists (
        select from pg_attribute a
        where a.attrelid = table_name and a.attname = distribution_column and a.attnum = any(i.indkey)
      )
    ) then
      raise exception 'cannot create constraint on "%"', table_name;
    end if;
    insert into pg_dist_partition select relid, 'h', distribution_column, 1, 's'
    from (select table_name as relid union select relid from pg_partition_tree(table_name)) t;
    -- Until now it was local, so no read of it was parallel.
    perform set_config('stub.scans', scans_of_shards()::text, true);
  end $$;
  create function pg_catalog.refuse_local_joins() returns trigger language plpgsql as $$
  declare
    query text := regexp_replace(current_query(), '/\\*.*?\\*/', '', 'g');
  begin
    if query ~* '^\\s*(update|delete|with)\\M' and query ~ '\\mstaged\\M'
      or query ~* '^\\s*insert\\M' and query ~* 'not exists|do nothing' then
      raise exception 'relation staged is not distributed';
    end if;
    return null;
  end $$;
  create function pg_catalog.create_reference_table(table_name regclass) returns void language plpgsql as $$
  begin
    insert into citus_calls (call) values (format('create_reference_table(%s)', table_name));
    perform refuse_as_citus(table_name);
    insert into pg_dist_partition values (table_name, 'n', null, 2, 't');
    execute format('create trigger stub_of_citus before insert or update or delete on %s for each statement
      execute function refuse_local_joins()', table_name);
  end $$;
  create function pg_catalog.undistribute_table(table_name regclass, cascade_via_foreign_keys boolean default false)
  returns void language plpgsql as $$
  begin
    insert into citus_calls (call) values (format('undistribute_table(%s)', table_name));
    execute format('drop trigger if exists stub_of_citus on %s', table_name);
    delete from pg_dist_partition where logicalrelid = table_name
      or logicalrelid in (select relid from pg_partition_tree(table_name));
  end $$;
  create function pg_catalog.truncate_local_data_after_distributing_table(function_name regclass)
  returns void language plpgsql as $$
  begin
    insert into citus_calls (call) values (format('truncate_local_data_after_distributing_table(%s)', function_name));
  end $$;
  do $$ begin execute format('alter database %I set citus.shard_count = 32', current_database()); end $$;`;

/** Runs as the superuser, who may change the system catalogue. */
export async function asSuperuser(url: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set allow_system_table_mods = on');
    const { rows } = await client.query(text);
    return rows;
  } finally {
    await client.end();
  }
}

export async function installCitus(url: string): Promise<void> {
  await asSuperuser(url, stub);
}

export const callsOf = (url: string): Promise<string[]> =>
  asSuperuser(url, 'select call from citus_calls order by n').then((rows) => rows.map(({ call }) => call));

/** The catalogue says that a table is distributed, whoever did so. */
export const markDistributed = (url: string, table: string, column: string | null): Promise<any[]> =>
  asSuperuser(
    url,
    `insert into pg_dist_partition select '${table}', ${column === null ? `'n', null` : `'h', '${column}'`}, 1,
      ${column === null ? `'t'` : `'s'`}`,
  );
