import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { momentText, queryOf, rows, sql } from '../db/rows.ts';
import { type Tier, tiers } from './tiers.ts';
import { TOKENS_CHANNEL } from './tokens.ts';

export const DEFAULT_ACCOUNT = 'default';

const AccountRow = z.object({
  accountId: z.string(),
  name: z.string(),
  tier: z.enum(tiers),
  /** Null means the tier's limit. */
  rateLimit: z.int().nullable(),
  unitAllowance: z.number().nullable(),
  createdAt: z.string(),
  activeTokens: z.int(),
});
export type AccountRow = z.infer<typeof AccountRow>;

const select = sql`a.account_id::text as "accountId", a.name, a.tier, a.rate_limit as "rateLimit",
  a.unit_allowance::float8 as "unitAllowance",
  ${momentText(sql`a.created_at`)} as "createdAt",
  (select count(*)::int from tokens t where t.account_id = a.account_id and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > now())) as "activeTokens"`;

type AccountLimits = {
  name: string;
  tier: Tier;
  rateLimit?: number | null | undefined;
  unitAllowance?: number | null | undefined;
};

/** Returns undefined if the name is taken. */
export async function createAccount(db: Queryable, account: AccountLimits): Promise<AccountRow | undefined> {
  const [row] = await rows(
    db,
    AccountRow,
    sql`/* createAccount */
    with a as (
      insert into accounts (name, tier, rate_limit, unit_allowance)
      values (${account.name}, ${account.tier}, ${account.rateLimit ?? null}, ${account.unitAllowance ?? null})
      on conflict (name) do nothing returning *
    )
    select ${select} from a`,
  );
  return row;
}

export const listAccounts = queryOf(
  AccountRow,
  (name: string | null = null) => sql`/* listAccounts */
    select ${select} from accounts a where ${name}::text is null or a.name = ${name} order by a.name`,
);

/** Keeps limits that are undefined. */
export async function setTier(db: Queryable, account: AccountLimits): Promise<AccountRow | undefined> {
  const { rateLimit, unitAllowance } = account;
  const [row] = await rows(
    db,
    AccountRow,
    sql`/* setTier */
    with a as (
      update accounts set tier = ${account.tier},
        rate_limit = case when ${rateLimit === undefined} then rate_limit else ${rateLimit ?? null} end,
        unit_allowance = case when ${unitAllowance === undefined} then unit_allowance else ${unitAllowance ?? null} end
      where name = ${account.name} returning *
    ), notified as (select pg_notify(${TOKENS_CHANNEL}, '') from a)
    select ${select} from a, notified`,
  );
  return row;
}
