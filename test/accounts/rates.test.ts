import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, listAccounts, setTier } from '../../src/accounts/accounts.ts';
import { type Tier, tiers } from '../../src/accounts/tiers.ts';
import { createToken, rotateToken } from '../../src/accounts/tokens.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let made = 0;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
});
afterAll(() => gateway.close());

const db = () => gateway.database.pool;

/** An account of a tier with a token that the gateway knows already. */
async function accountOf(tier: Tier, rateLimit?: number) {
  const name = `${tier} ${made++}`;
  await createAccount(db(), { name, tier, rateLimit });
  const { token } = await createToken(db(), 'rates', null, name);
  // The gateway knows the token once a path gets another status than 401. A refused request is not metered.
  await eventually(async () => expect((await call(token, '/v0/eth/slashings')).status).not.toBe(401));
  await new Promise((done) => setTimeout(done, 1_050)); // the second in which this was asked is over
  return { name, token };
}

const call = (token: string, path: string, init: RequestInit = {}) =>
  gateway.fetch(path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
const rest = (token: string) => call(token, '/v0/eth/slashings');
const graphql = (token: string) =>
  call(token, '/graphql', { method: 'POST', body: JSON.stringify({ query: '{ __typename }' }) });

describe('the rate of an account', () => {
  it.each(['free', 'starter'] as const)('of the %s tier lets two requests a second pass', async (tier) => {
    const { token } = await accountOf(tier);
    const answers = await Promise.all([rest(token), rest(token), rest(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json).toEqual({ detail: 'Too many requests' });
    expect(refused?.headers.get('retry-after')).toBe('1');
    await new Promise((done) => setTimeout(done, 1_000));
    expect((await rest(token)).status).toBe(200);
  });

  it('is told in the RateLimit fields of each answer', async () => {
    const { token } = await accountOf('build');
    const { headers } = await rest(token);
    expect(headers.get('ratelimit-policy')).toBe('"persecond";q=10;w=1');
    expect(headers.get('ratelimit')).toBe('"persecond";r=9;t=1');
  });

  it('is one for both APIs', async () => {
    const { token } = await accountOf('free');
    const answers = await Promise.all([rest(token), graphql(token), graphql(token), rest(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  });

  it('is one for all tokens of the account, and not that of another', async () => {
    const { name, token } = await accountOf('free');
    const { token: second } = await createToken(db(), 'second', null, name);
    await eventually(async () => expect((await rest(second)).status).not.toBe(401));
    await new Promise((done) => setTimeout(done, 1_050));
    const answers = await Promise.all([rest(token), rest(second), rest(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect((await rest(gateway.token)).status).toBe(200);
  });

  it('lets exactly the allowed number of a thousand concurrent requests pass', async () => {
    const { token } = await accountOf('enterprise', 300);
    const started = Date.now();
    const statuses = await Promise.all(Array.from({ length: 1_000 }, async () => (await rest(token)).status));
    const windows = Math.ceil((Date.now() - started) / 1_000);
    const passed = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    // 300 in each second that the thousand took
    expect(passed).toBeGreaterThanOrEqual(300);
    expect(passed).toBeLessThanOrEqual(300 * windows);
  });

  it('does not exist for enterprise, unless it is set on the account', async () => {
    const { name, token } = await accountOf('enterprise');
    const { headers } = await rest(token);
    expect(headers.get('ratelimit')).toBeNull();
    await setTier(db(), { name, tier: 'enterprise', rateLimit: 1 });
    await eventually(async () => expect((await rest(token)).status).toBe(429));
  });

  it('changes with the tier, within a second', async () => {
    const { name, token } = await accountOf('free');
    await setTier(db(), { name, tier: 'growth' });
    await eventually(async () =>
      expect((await rest(token)).headers.get('ratelimit-policy')).toBe('"persecond";q=50;w=1'),
    );
  });
});

describe('accounts', () => {
  it('have each tier, and a name that is theirs alone', async () => {
    for (const tier of tiers) {
      expect(await createAccount(db(), { name: `only ${tier}`, tier })).toMatchObject({
        tier,
        rateLimit: null,
      });
    }
    expect(await createAccount(db(), { name: 'only free', tier: 'build' })).toBeUndefined();
    expect(await listAccounts(db(), 'only free')).toMatchObject([{ name: 'only free', activeTokens: 0 }]);
    expect(await setTier(db(), { name: 'nobody', tier: 'free' })).toBeUndefined();
    await expect(createToken(db(), 'x', null, 'nobody')).rejects.toThrow('There is no account "nobody"');
  });
});

it('a change of the tier keeps limits of the account that are not given, and null removes them', async () => {
  const name = 'with limits';
  await createAccount(db(), { name, tier: 'build', rateLimit: 3, unitAllowance: 500 });
  expect(await setTier(db(), { name, tier: 'growth' })).toMatchObject({ rateLimit: 3, unitAllowance: 500 });
  const changed = await setTier(db(), { name, tier: 'growth', rateLimit: null, unitAllowance: 7 });
  expect(changed).toMatchObject({ rateLimit: null, unitAllowance: 7 });
  expect(await setTier(db(), { name, tier: 'build' })).toMatchObject({ rateLimit: null, unitAllowance: 7 });
});

describe('a rotated token', () => {
  it('is followed by one of the same account, and stays good until the grace is over', async () => {
    const { token, row } = await createToken(db(), 'old');
    const rotated = await rotateToken(db(), row.tokenId, 4);
    expect(rotated?.row).toMatchObject({ name: 'old', account: row.account, expiresAt: null });
    expect(await rotateToken(db(), row.tokenId, 60)).toBeUndefined();
    const next = rotated?.token as string;
    await eventually(async () => expect((await rest(next)).status).toBe(200));
    expect((await rest(token)).status).toBe(200);
    await eventually(async () => expect((await rest(token)).status).toBe(401), 15_000);
    expect((await rest(next)).status).toBe(200);
    expect(await rotateToken(db(), row.tokenId, 1)).toBeUndefined();
  });
});
