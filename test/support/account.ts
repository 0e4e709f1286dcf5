import { randomUUID } from 'node:crypto';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Tier } from '../../src/accounts/tiers.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { capitalized } from '../../src/kernel/names.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

export type Account = Awaited<ReturnType<typeof accountOf>>;

/** An account of a tier, without a rate that a test would meet, and its calls; the gateway knows its token already. */
export async function accountOf(gateway: Gateway, tier: Tier = 'enterprise') {
  const name = `${tier} ${randomUUID()}`;
  const { pool } = gateway.database;
  const account = await createAccount(pool, { name, tier, rateLimit: 100_000 });
  const { token } = await createToken(pool, 'a token', null, name);
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    gateway.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  await eventually(async () => {
    if ((await call('GET', '/v0/eth/slashings?size=1')).status === 401) throw new Error('not known yet');
  });
  return {
    id: account?.accountId as string,
    token,
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      call('POST', path, body, headers),
    graphql: (query: string, variables: object = {}) =>
      gateway.graphql(query, variables, { authorization: `Bearer ${token}` }),
  };
}

/** The payload of the mutation `field`, with its `userErrors`. */
export async function mutated(account: Account, field: string, input: object, select: string): Promise<any> {
  const { data, errors } = await account.graphql(
    `mutation ($input: ${capitalized(field)}Input!) {
      ${field}(input: $input) { ${select} userErrors { field message code } }
    }`,
    { input },
  );
  if (errors) throw new Error(JSON.stringify(errors));
  return data[field];
}
