import { hostname, userInfo } from 'node:os';
import { z } from 'zod';
import { sudoUser } from '../config/index.ts';
import * as Leaf from '../kernel/leaves.ts';
import type { Queryable } from './pool.ts';
import { momentText, queryOf, sql } from './rows.ts';

export const AUDIT_CHANNEL = 'stakegraph_audit';

export type Audited = {
  /** For example `token.create`. */
  action: string;
  /** What was changed: an account, a token's id, a resource or a network. */
  subject: string;
  /** Must contain no secret. */
  details?: Record<string, unknown>;
  /** Account and name of a token of the API. By default, the user and host of this process. */
  token?: { account: string; tokenName: string };
};

/** User ids without a name are usual in containers. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

function user(): string {
  const person = sudoUser();
  return `${person ? `${person} (sudo ${nameOfUser()})` : nameOfUser()}@${hostname()}`;
}

/** Call it in the transaction of the change, so that neither is stored without the other. */
export async function audit(db: Queryable, { action, subject, details = {}, token }: Audited): Promise<void> {
  const actor = token ? `${token.account}/${token.tokenName}` : user();
  const statement = sql`/* audit */
    insert into audit_log (actor_type, actor, action, subject, details)
    values (${token ? 'token' : 'user'}, ${actor}, ${action}, ${subject}, ${JSON.stringify(details)}::jsonb)`;
  await db.query({ text: statement.text, values: statement.values });
}

const Entry = z.object({
  id: Leaf.count(),
  at: z.string(),
  actorType: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof Entry>;

/** Oldest first. */
export const auditEntries = queryOf(
  Entry,
  (since: Date, after: number, limit: number) => sql`/* auditEntries */
    select entry_id::float8 as id, ${momentText(sql`at`)} as at, actor_type as "actorType", actor, action, subject, details
    from audit_log where at >= ${since} and entry_id > ${after} order by entry_id limit ${limit}`,
);

/** The entry that a notification is about, as JSON; undefined if it is about none. */
export async function notifiedEntry(db: Queryable, payload: string): Promise<string | undefined> {
  const [, id] = /"entry_id": ?(\d{1,15})\b/.exec(payload) ?? [];
  if (id === undefined) return undefined;
  const text = '/* notifiedEntry */ select to_jsonb(a)::text as entry from audit_log a where entry_id = $1';
  return (await db.query({ text, values: [id] })).rows[0]?.entry as string | undefined;
}

/** Returns the number of removed entries. The database refuses entries of the last 90 days. */
export async function deleteAuditBefore(db: Queryable, before: Date): Promise<number> {
  await db.query({ text: `/* auditDelete */ set local stakegraph.audit_delete = 'on'`, values: [] });
  const { rows } = await db.query({
    text: `/* deleteAudit */ with old as (delete from audit_log where at < $1 returning 1)
      select count(*)::int as removed from old`,
    values: [before],
  });
  const removed = rows[0]?.removed as number;
  await audit(db, { action: 'audit.delete', subject: before.toISOString(), details: { removed } });
  return removed;
}
