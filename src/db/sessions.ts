import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const MAX_NAMED = 5;
export const named = (names: string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');

/** An ordinary role sees neither the backend_type nor the address of sessions of other roles. */
const otherSessions = String.raw`/* otherSessions */
  select format('%s of %s%s (process %s)', coalesce(nullif(a.application_name, ''), 'a program'), a.usename,
    ' at ' || host(a.client_addr), a.pid) as name
  from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
  where a.datname = current_database() and a.pid <> pg_backend_pid() and coalesce(a.application_name, '') not like 'citus\_%'
    and case
    when a.backend_type is null then not r.rolsuper or a.application_name like 'stakegraph%'
    else a.backend_type = 'client backend' end
  order by a.pid`;

const LEAVING_MS = 2_000;

/** Names any client, because the URL of a gateway may set its application_name. Waits for those that leave. */
export async function otherClients(client: pg.ClientBase): Promise<string | undefined> {
  const deadline = performance.now() + LEAVING_MS;
  for (;;) {
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(otherSessions);
    if (rows.length === 0) return undefined;
    if (performance.now() > deadline) return named(rows.map(({ name }) => name));
    await sleep(100);
  }
}
