import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { networks } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { lockMigrations } from '../../db/migrate/index.ts';
import { raiseMemory } from '../../ingest/merge/memory.ts';
import { inUse } from '../retain/dropping.ts';
import { identifier, listed } from '../transfer/catalog.ts';
import { withConnection } from '../transfer/connect.ts';
import { ORDER, TABLE } from './order.ts';

export type SwapOptions = {
  lockTimeoutMs: number;
  pauseMs: number;
  attempts: number;
};

type Described = {
  bound: string;
  columns: string[];
  /** Statements for properties that LIKE does not copy. */
  traits: string[];
  special: boolean;
};
type Index = { name: string; definition: string; constraint: string | null };

async function described(client: pg.ClientBase, part: string, made: string): Promise<Described | undefined> {
  const { rows } = await client.query<Described>(
    `/* partToRepack */
    select pg_get_expr(c.relpartbound, c.oid) as bound,
      array(select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(
        select format('alter table %I set (%s)', $2::text, array_to_string(c.reloptions, ', ')) where c.reloptions is not null
        union all
        select format('alter table %I set tablespace %I', $2::text, spcname) from pg_tablespace where oid = c.reltablespace
        union all
        select format('alter table %I replica identity %s', $2::text, case c.relreplident when 'f' then 'full' else 'nothing' end)
        where c.relreplident in ('f', 'n')
        union all
        select format('grant %s on %I to %s%s', a.privilege_type, $2::text,
          case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
          case when a.is_grantable then ' with grant option' else '' end)
        from aclexplode(c.relacl) a where a.grantee <> c.relowner
        union all
        select format('alter table %I owner to %I', $2::text, pg_get_userbyid(c.relowner))
        where pg_get_userbyid(c.relowner) <> current_user
      ) as traits,
      c.relreplident = 'i' or c.relrowsecurity
        or exists (select from pg_publication_rel where prrelid = c.oid)
        or exists (select from pg_publication where puballtables)
        or exists (select from pg_publication_namespace where pnnspid = c.relnamespace)
        or exists (select from pg_policy where polrelid = c.oid)
        or exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal and tgparentid = 0) as special
    from pg_class c join pg_inherits i on i.inhrelid = c.oid and i.inhparent = '${TABLE}'::regclass
    where c.oid = to_regclass($1)`,
    [identifier(part), made],
  );
  return rows[0];
}

async function indexesOf(client: pg.ClientBase, part: string): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `/* indexesOfPart */
    select i.relname::text as name, pg_get_indexdef(i.oid) as definition, pg_get_constraintdef(k.oid) as "constraint"
    from pg_index x join pg_class i on i.oid = x.indexrelid
    left join pg_constraint k on k.conindid = i.oid and k.conrelid = x.indrelid and k.contype in ('p', 'u')
    where x.indrelid = to_regclass($1) order by x.indisprimary desc, i.relname`,
    [identifier(part)],
  );
  return rows;
}

const nameOf = (part: string) => `repack_${part}`;

async function makeIndex(client: pg.ClientBase, made: string, index: Index): Promise<void> {
  const name = identifier(nameOf(index.name));
  const text = index.constraint
    ? `alter table ${identifier(made)} add constraint ${name} ${index.constraint}`
    : index.definition.replace(
        /^CREATE (UNIQUE )?INDEX .+? ON .+? USING/,
        (_match, unique = '') => `create ${unique}index ${name} on ${identifier(made)} using`,
      );
  await client.query(`/* indexRepacked */ ${text}`);
}

/** FREEZE shows the rows even to older snapshots, such as that of a dump. */
async function copyRows(
  client: pg.ClientBase,
  url: string,
  part: string,
  made: string,
  columns: readonly string[],
): Promise<number> {
  await withConnection(url, true, async (reader) => {
    await reader.query(`/* sortMemory */ select set_config('work_mem', '128MB', false)`);
    const names = listed(columns);
    await pipeline(
      reader.query(
        copyTo(
          `/* readInOrder */ copy (select ${names} from only ${identifier(part)} order by ${ORDER}) to stdout (format binary)`,
        ),
      ),
      client.query(
        copyFrom(`/* writeInOrder */ copy ${identifier(made)} (${names}) from stdin (format binary, freeze)`),
      ),
    );
  });
  const { rows } = await client.query<{ before: string; after: string }>(
    `/* countRepacked */ select (select count(*) from only ${identifier(part)}) as before, (select count(*) from ${identifier(made)}) as after`,
  );
  const { before, after } = rows[0] as { before: string; after: string };
  if (before !== after) throw new Error(`${after} of ${before} rows were copied: nothing was changed.`);
  return Number(after);
}

async function swap(
  client: pg.ClientBase,
  { part, made, bound, indexes }: { part: string; made: string; bound: string; indexes: readonly Index[] },
  { attempts, pauseMs, lockTimeoutMs, stop }: SwapOptions & { stop: AbortSignal },
): Promise<number> {
  await client.query('/* beforeSwap */ savepoint swap');
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`/* lockTimeout */ select set_config('lock_timeout', $1, true)`, [
        `${lockTimeoutMs}ms`,
      ]);
      await client.query(`/* lockDays */ lock table only ${TABLE} in access exclusive mode`);
      const lockedAt = performance.now();
      await client.query(`/* dropUnordered */ drop table ${identifier(part)}`);
      await client.query(`/* nameRepacked */ alter table ${identifier(made)} rename to ${identifier(part)}`);
      for (const { name } of indexes)
        await client.query(
          `/* nameIndex */ alter index ${identifier(nameOf(name))} rename to ${identifier(name)}`,
        );
      await client.query(
        `/* attachRepacked */ alter table ${TABLE} attach partition ${identifier(part)} ${bound}`,
      );
      await client.query(`/* dropBound */ alter table ${identifier(part)} drop constraint repacked`);
      return lockedAt;
    } catch (error) {
      await client.query('/* unswap */ rollback to savepoint swap');
      if (!inUse.includes((error as { code: string }).code)) throw error;
      if (stop.aborted) throw new Error('it was in use until the command was stopped.');
      if (attempt >= attempts)
        throw new Error(`it was in use at each of ${attempt} attempts: try again later.`);
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

function within(bound: string): string {
  const [from, until] = [...bound.matchAll(/'[\d-]+'/g)].map(([date]) => date);
  return `date >= ${from} and date < ${until}`;
}

/**
 * Writers of days wait until the transaction ends. Returns undefined if another process repacks or the month is gone.
 */
export async function rewriteMonth(
  client: pg.ClientBase,
  url: string,
  part: string,
  options: SwapOptions & { stop: AbortSignal },
): Promise<{ rows: number; lockedAt: number } | undefined> {
  const { rows } = await client.query(
    `/* lockRepack */ select pg_try_advisory_xact_lock(hashtext('stakegraph repack')) as taken`,
  );
  if (!rows[0].taken) return undefined;
  await lockMigrations(client);
  await lockWriters(client, ['validator-days'], networks);
  // SQL run by hand does not take the lock of writers, and SQL on the part does not lock its parent.
  await client.query(
    `/* lockOtherWriters */ lock table only ${TABLE}, only ${identifier(part)} in share mode`,
  );
  if (options.stop.aborted) return undefined;
  const made = nameOf(part);
  const found = await described(client, part, made);
  if (!found) return undefined;
  if (found.special)
    throw new Error('it has a publication, trigger, policy or replica identity: remove that first.');
  const indexes = await indexesOf(client, part);
  await client.query(
    `/* makeRepacked */ create table ${identifier(made)} (like ${identifier(part)} including all excluding indexes)`,
  );
  await client.query(
    `/* boundRepacked */ alter table ${identifier(made)} add constraint repacked check (${within(found.bound)})`,
  );
  const count = await copyRows(client, url, part, made, found.columns);
  await client.query(`/* indexMemory */ ${raiseMemory('maintenance_work_mem')}`);
  for (const index of indexes) await makeIndex(client, made, index);
  for (const statement of found.traits) await client.query(`/* traitRepacked */ ${statement}`);
  await client.query(`/* analyzeRepacked */ analyze ${identifier(made)}`);
  const lockedAt = await swap(client, { part, made, bound: found.bound, indexes }, options);
  return { rows: count, lockedAt };
}
