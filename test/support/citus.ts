import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/db/migrate/index.ts';
import { createPool } from '../../src/db/pool.ts';
import { distribute } from '../../src/maintenance/distribute/index.ts';
import { waitTimeoutMs } from './deadlines.ts';
import { createDatabase, type TestDatabase } from './gateway.ts';
import { databaseUrl } from './global-setup.ts';

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

  create function pg_catalog.citus_relation_size(relation_name regclass) returns bigint language sql as $$
    select pg_relation_size(relation_name) $$;
  create table pg_catalog.prepared_on_worker (gid text);
  create table pg_catalog.pg_dist_transaction (groupid int, gid text);
  grant select on prepared_on_worker, pg_dist_transaction to public;
  create function pg_catalog.run_command_on_workers(command text, parallel boolean default true, out nodename text,
    out nodeport int, out success boolean, out result text)
  returns setof record language sql as $$
    select nodename, nodeport, isactive, case when isactive then (select coalesce(string_agg(gid, ','), '') from prepared_on_worker)
      else 'connection refused' end
    from pg_dist_node where groupid <> 0
  $$;

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
  create function pg_catalog.refuse_changes() returns trigger language plpgsql as $$
  declare
    query text := regexp_replace(current_query(), '/\\*.*?\\*/', '', 'g');
    joined text;
  begin
    if query ~* '^\\s*(update|delete|with)\\M' then
      for joined in
        select name[1] from regexp_matches(query, '\\m(?:from|using|join)\\s+(?:only\\s+)?([a-z_]\\w*)', 'gi') name
      loop
        if to_regclass(joined) is not null
          and not exists (select from pg_dist_partition where logicalrelid = to_regclass(joined)) then
          raise exception 'relation % is not distributed', joined;
        end if;
      end loop;
      if query ~* '\\mreturning\\M.*(::|\\()' then
        raise exception 'non-IMMUTABLE functions are not allowed in the RETURNING clause';
      end if;
    end if;
    if tg_argv[0] = 'reference' and query ~* '^\\s*insert\\M' and query ~* 'not exists|do nothing' then
      raise exception 'relation staged is not distributed';
    end if;
    return null;
  end $$;
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
    execute format('create trigger stub_of_citus before insert or update or delete on %s for each statement
      execute function refuse_changes(days)', table_name);
    -- Until now it was local, so no read of it was parallel.
    perform set_config('stub.scans', scans_of_shards()::text, true);
  end $$;
  create function pg_catalog.create_reference_table(table_name regclass) returns void language plpgsql as $$
  begin
    insert into citus_calls (call) values (format('create_reference_table(%s)', table_name));
    perform refuse_as_citus(table_name);
    insert into pg_dist_partition values (table_name, 'n', null, 2, 't');
    execute format('create trigger stub_of_citus before insert or update or delete on %s for each statement
      execute function refuse_changes(reference)', table_name);
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

/** URL of a superuser of a coordinator of Citus, in a database that knows the workers; without it, a stub is used. */
const realUrl = process.env.TEST_CITUS_URL || undefined;
export const isRealCitus = realUrl !== undefined;

/** An empty database of its own that `stakegraph distribute` has distributed. */
export async function createDistributed(): Promise<TestDatabase> {
  const database = realUrl === undefined ? await createDatabase('empty') : await createOnNodes(realUrl);
  if (realUrl === undefined) await installCitus(database.url);
  await distribute({ url: database.url, shards: 4, undo: false, dryRun: false, tell: () => undefined });
  return database;
}

const runOn = async (url: string, ...statements: string[]): Promise<any[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: any[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};

/** Makes the database on each node, and adds the other nodes to its coordinator. */
async function createOnNodes(coordinator: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const nodes: { host: string; port: number; own: boolean }[] = await runOn(
    coordinator,
    `select nodename as host, nodeport as port, groupid = 0 as own from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  const urlOf = ({ host, port }: { host: string; port: number }) => {
    const url = new URL(coordinator);
    [url.hostname, url.port] = [host, String(port)];
    return url.href;
  };
  for (const node of nodes) {
    await runOn(urlOf(node), `create database ${name}`);
    await runOn(databaseUrl(urlOf(node), name), 'create extension citus');
  }
  const url = databaseUrl(coordinator, name);
  for (const { host, port, own } of nodes)
    await runOn(
      url,
      own
        ? `select citus_set_coordinator_host('${host}', ${port})`
        : `select citus_add_node('${host}', ${port})`,
    );
  await migrate(url);
  const pool = createPool({ url, readOnly: false, max: 4, waitTimeoutMs });
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      for (const node of nodes) await runOn(urlOf(node), `drop database if exists ${name} with (force)`);
    },
  };
}
