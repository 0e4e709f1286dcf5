import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { rows, sql } from '../db/rows.ts';
import { newToken, tokenHash, tokenPrefix } from './token-format.ts';

/** The channel on which every change of tokens is told to all replicas. */
export const TOKENS_CHANNEL = 'stakegraph_tokens';

export const TokenRow = z.object({
  tokenId: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type TokenRow = z.infer<typeof TokenRow>;

const iso = 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
const columns = sql`token_id::text as "tokenId", name, prefix, to_char(created_at, ${iso}) as "createdAt",
  to_char(expires_at, ${iso}) as "expiresAt", to_char(last_used_at, ${iso}) as "lastUsedAt",
  to_char(revoked_at, ${iso}) as "revokedAt"`;

/** Makes a token; the answer is the only time that it is shown. */
export async function createToken(
  db: Queryable,
  name: string,
  expiresAt: Date | null = null,
): Promise<{ token: string; row: TokenRow }> {
  const token = newToken();
  const [row] = await rows(
    db,
    TokenRow,
    sql`/* createToken */
    with made as (
      insert into tokens (name, hash, prefix, expires_at)
      values (${name}, ${tokenHash(token)}, ${tokenPrefix(token)}, ${expiresAt})
      returning *
    )
    select ${columns}, pg_notify(${TOKENS_CHANNEL}, '') from made`,
  );
  return { token, row: row as TokenRow };
}

/** All tokens, newest first. */
export const listTokens = (db: Queryable): Promise<TokenRow[]> =>
  rows(db, TokenRow, sql`/* listTokens */ select ${columns} from tokens order by created_at desc, token_id`);

/** Revokes a token by its id or the start of what is shown of it; undefined when there is no such active token. */
export async function revokeToken(db: Queryable, tokenId: string): Promise<TokenRow | undefined> {
  const [row] = await rows(
    db,
    TokenRow,
    sql`/* revokeToken */
    with revoked as (
      update tokens set revoked_at = now() where token_id::text = ${tokenId} and revoked_at is null returning *
    )
    select ${columns}, pg_notify(${TOKENS_CHANNEL}, '') from revoked`,
  );
  return row;
}

const ActiveToken = z.object({
  hash: z.string(),
  tokenId: z.string(),
  name: z.string(),
  expiresAtMs: z.number().nullable(),
});
export type ActiveToken = z.infer<typeof ActiveToken>;

/** Every token that is not revoked and not expired, for the directory in memory. */
export const activeTokens = (db: Queryable): Promise<ActiveToken[]> =>
  rows(
    db,
    ActiveToken,
    sql`/* activeTokens */
    select encode(hash, 'hex') as hash, token_id::text as "tokenId", name,
      (extract(epoch from expires_at) * 1000)::float8 as "expiresAtMs"
    from tokens where revoked_at is null and (expires_at is null or expires_at > now())`,
  );

/** Notes when tokens were last used, in one statement for all. */
export async function noteUse(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  const statement = sql`/* noteUse */
    update tokens t set last_used_at = greatest(t.last_used_at, u.at)
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as u (token_id, at)
    where t.token_id = u.token_id`;
  await db.query({ text: statement.text, values: statement.values });
}
