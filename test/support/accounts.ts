import { createAccount } from '../../src/accounts/accounts.ts';
import type { Tier } from '../../src/accounts/tiers.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

let made = 0;

/** An account of its own with a token that the gateway knows, and the compute units that it used so far. */
export async function makeAccount(
  gateway: Gateway,
  limits: { tier?: Tier; rateLimit?: number; unitAllowance?: number; used?: number; month?: string } = {},
): Promise<{ name: string; token: string; authorization: string }> {
  const { tier = 'enterprise', used, month = new Date().toISOString().slice(0, 7), ...own } = limits;
  const { pool } = gateway.database;
  const name = `account ${made++}`;
  await createAccount(pool, { name, tier, ...own });
  if (used !== undefined) await storeUsage(gateway, name, month, used);
  const { token } = await createToken(pool, 'test', null, name);
  const authorization = `Bearer ${token}`;
  await eventually(async () => {
    if (!gateway.tokens.find(authorization, new Date())) throw new Error('not known yet');
  });
  return { name, token, authorization };
}

/** Sets what an account used in a month, as other replicas wrote it. */
export async function storeUsage(gateway: Gateway, name: string, month: string, units: number) {
  await gateway.database.pool.query({
    text: `insert into usage (account_id, month, units, requests)
      select account_id, $2::date, $3, 1 from accounts where name = $1
      on conflict (account_id, month) do update set units = excluded.units, updated_at = now()`,
    values: [name, `${month}-01`, units],
  });
  await gateway.meter.flush();
}

/** What the database has of an account, over all months. */
export async function storedUsage(
  gateway: Gateway,
  name: string,
): Promise<{ units: number; requests: number }> {
  const { rows } = await gateway.database.pool.query({
    text: `select coalesce(sum(units), 0)::float8 as units, coalesce(sum(requests), 0)::float8 as requests
      from usage join accounts using (account_id) where name = $1`,
    values: [name],
  });
  return rows[0] as { units: number; requests: number };
}
