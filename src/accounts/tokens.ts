import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { momentText, queryOf, rows, sql } from '../db/rows.ts';
import { tiers } from './tiers.ts';
import { newToken, tokenHash, tokenPrefix } from './token-format.ts';

export const TOKENS_CHANNEL = 'stakegraph_tokens';

const TokenRow = z.object({
  tokenId: z.string(),
  account: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type TokenRow = z.infer<typeof TokenRow>;

const columns = sql`t.token_id::text as "tokenId", (select a.name from accounts a where a.account_id = t.account_id)
    as account, t.name, t.prefix, ${momentText(sql`t.created_at`)} as "createdAt",
  ${momentText(sql`t.expires_at`)} as "expiresAt", ${momentText(sql`t.last_used_at`)} as "lastUsedAt",
  ${momentText(sql`t.revoked_at`)} as "revokedAt"`;

export async function createToken(
  db: Queryable,
  name: string,
  expiresAt: Date | null = null,
  account = 'default',
): Promise<{ token: string; row: TokenRow }> {
  const token = newToken();
  const [row] = await rows(
    db,
    TokenRow,
    sql`/* createToken */
    with t as (
      insert into tokens (name, hash, prefix, expires_at, account_id)
      select ${name}, decode(${tokenHash(token)}, 'hex'), ${tokenPrefix(token)}, ${expiresAt}, account_id
      from accounts where name = ${account}
      returning *
    ), notified as (select pg_notify(${TOKENS_CHANNEL}, '') from t)
    select ${columns} from t, notified`,
  );
  if (!row) throw new Error(`There is no account ${JSON.stringify(account)}; see "stakegraph account list".`);
  return { token, row };
}

export async function isActive(db: Queryable, token: string): Promise<boolean> {
  const found = await rows(
    db,
    z.object({ yes: z.int() }),
    sql`/* isActiveToken */
    select 1 as yes from tokens
    where hash = decode(${tokenHash(token)}, 'hex') and revoked_at is null and (expires_at is null or expires_at > now())`,
  );
  return found.length > 0;
}

export const listTokens = queryOf(
  TokenRow,
  () => sql`/* listTokens */ select ${columns} from tokens t order by t.created_at desc, t.token_id`,
);

export async function revokeToken(db: Queryable, tokenId: string): Promise<TokenRow | undefined> {
  const [row] = await rows(
    db,
    TokenRow,
    sql`/* revokeToken */
    with t as (
      update tokens set revoked_at = now() where token_id::text = ${tokenId} and revoked_at is null returning *
    ), notified as (select pg_notify(${TOKENS_CHANNEL}, '') from t)
    select ${columns} from t, notified`,
  );
  return row;
}

const ActiveToken = z.object({
  hash: z.string(),
  tokenId: z.string(),
  name: z.string(),
  accountId: z.string(),
  account: z.string(),
  tier: z.enum(tiers),
  /** Null means the tier's limit. */
  rateLimit: z.int().nullable(),
  unitAllowance: z.number().nullable(),
  expiresAtMs: z.number().nullable(),
});
export type ActiveToken = z.infer<typeof ActiveToken>;

export const activeTokens = queryOf(
  ActiveToken,
  () => sql`/* activeTokens */
    select encode(t.hash, 'hex') as hash, t.token_id::text as "tokenId", t.name,
      a.account_id::text as "accountId", a.name as account, a.tier, a.rate_limit as "rateLimit",
      a.unit_allowance::float8 as "unitAllowance",
      (extract(epoch from t.expires_at) * 1000)::float8 as "expiresAtMs"
    from tokens t join accounts a using (account_id)
    where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
);

export async function noteUse(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  // Rows are locked in one order, because several gateways note the same tokens.
  const statement = sql`/* noteUse */
    with used as (
      select t.token_id, u.at
      from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as u (token_id, at)
      join tokens t using (token_id)
      order by t.token_id for no key update of t
    )
    update tokens t set last_used_at = greatest(t.last_used_at, used.at) from used where t.token_id = used.token_id`;
  await db.query({ text: statement.text, values: statement.values });
}

const RotatedRow = TokenRow.extend({ oldExpiresAt: z.string() });

/** The new token expires when the old one did. Undefined unless the old one is active and was not rotated before. */
export async function rotateToken(
  db: Queryable,
  tokenId: string,
  graceSeconds: number,
): Promise<{ token: string; row: TokenRow; oldExpiresAt: string } | undefined> {
  const token = newToken();
  const [found] = await rows(
    db,
    RotatedRow,
    sql`/* rotateToken */
    with old as (
      select * from tokens where token_id::text = ${tokenId} and revoked_at is null and rotated_at is null
        and (expires_at is null or expires_at > now()) for update
    ), t as (
      insert into tokens (name, hash, prefix, account_id, expires_at)
      select name, decode(${tokenHash(token)}, 'hex'), ${tokenPrefix(token)}, account_id, expires_at from old
      returning *
    ), ending as (
      update tokens set rotated_at = now(),
        expires_at = least(tokens.expires_at, now() + make_interval(secs => ${graceSeconds}))
      from old where tokens.token_id = old.token_id returning tokens.expires_at
    ), notified as (select pg_notify(${TOKENS_CHANNEL}, '') from t)
    select ${columns}, ${momentText(sql`ending.expires_at`)} as "oldExpiresAt" from t, notified, ending`,
  );
  if (!found) return undefined;
  const { oldExpiresAt, ...row } = found;
  return { token, row, oldExpiresAt };
}

/** Whether the token was rotated and has not run out. */
export async function isRotated(db: Queryable, tokenId: string): Promise<boolean> {
  const text = `/* isRotated */ select from tokens
    where token_id::text = $1 and revoked_at is null and rotated_at is not null and expires_at > now()`;
  return (await db.query({ text, values: [tokenId] })).rows.length > 0;
}
