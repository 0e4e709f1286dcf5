import type pg from 'pg';
import { citusVersion, foundTables, untestedCitus } from '../../db/distributed/layout.ts';
import { namesOf, pendingOf } from '../../db/migrate/index.ts';
import { otherClients } from '../../db/sessions.ts';

export class DistributeError extends Error {}

export type Cluster = { citus: string; workers: number };

async function one(client: pg.ClientBase, text: string, values: unknown[] = []) {
  const { rows } = await client.query(text, values);
  return rows[0];
}

export async function checkCluster(client: pg.ClientBase): Promise<Cluster> {
  const { loaded, made } = await one(
    client,
    `/* citusLoaded */ select current_setting('citus.shard_count', true) is not null as loaded,
      to_regclass('pg_dist_partition') is not null as made`,
  );
  if (!loaded)
    throw new DistributeError(
      'Citus is not loaded: add citus to shared_preload_libraries on every node, and restart PostgreSQL.',
    );
  if (!made)
    throw new DistributeError(
      'The database has no extension citus: run "create extension citus" in it, on every node.',
    );
  const citus = await citusVersion(client);
  const untested = untestedCitus(citus);
  if (untested) throw new DistributeError(untested);
  const { coordinator, known, workers } = await one(
    client,
    `/* citusNodes */ select (select groupid from pg_dist_local_group) = 0 as coordinator,
      exists (select from pg_dist_node where groupid = 0 and isactive) as known,
      (select count(*)::int from pg_dist_node
        where noderole::text = 'primary' and isactive and shouldhaveshards and groupid <> 0) as workers`,
  );
  if (!coordinator)
    throw new DistributeError('DATABASE_URL leads to a worker of Citus: set it to the coordinator.');
  if (!known)
    throw new DistributeError(
      'The coordinator is not in its list of nodes: add it with "select citus_set_coordinator_host(\'host\', 5432)".',
    );
  if (workers === 0)
    throw new DistributeError(
      'The coordinator knows no active worker: add one with "select citus_add_node(\'host\', 5432)".',
    );
  return { citus, workers };
}

export async function checkTables(client: pg.ClientBase, undo: boolean): Promise<void> {
  const pending = await pendingOf(client);
  if (pending.length > 0)
    throw new DistributeError(`The database lacks ${namesOf(pending)}: run "stakegraph migrate" first.`);
  await foundTables(client);
  const { role, foreign } = await one(
    client,
    `/* tableOwners */ select current_user as role,
      array_agg(c.relname::text order by c.relname) filter (where not pg_has_role(c.relowner, 'usage')) as foreign
    from pg_class c where c.oid in (
      select relid from pg_partition_tree('validator_days')
      union all select unnest(array['validators', 'validator_clients', 'blocks']::regclass[]))`,
  );
  if (foreign)
    throw new DistributeError(
      `The role ${role} does not own ${foreign[0]}: run the command as the role that applied the migrations.`,
    );
  if (undo) return;
  const { archived } = await one(
    client,
    `/* archivedFolders */ select string_agg(distinct folder, ', ') as archived from archived_months`,
  );
  if (archived)
    throw new DistributeError(
      `Months of validator_days are archived in ${archived}, which gateways do not read beside distributed days: run "stakegraph archive restore" with each of them first.`,
    );
}

export async function checkSessions(client: pg.ClientBase): Promise<void> {
  const others = await otherClients(client);
  if (others)
    throw new DistributeError(
      `A gateway or another program is connected to the database: stop it first. Connected: ${others}.`,
    );
}
