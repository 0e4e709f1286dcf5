import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setTier } from '../../src/accounts/accounts.ts';
import { readSettings } from '../../src/config/index.ts';
import { makeAccount, storedUsage, storeUsage } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';

let gateway: Gateway;
let clock = Date.now();
const at = (moment: string) => {
  clock = Date.parse(moment);
};
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty', now: () => new Date(clock) });
});
afterAll(() => gateway.close());
afterEach(() => {
  clock = Date.now();
});

type Ask = { authorization: string };
const rest = (as: Ask) => gateway.get('/v0/eth/slashings', as);
const graphql = (as: Ask) => gateway.graphql('{ slashing(by: { index: 1 }) { id } }', {}, as);
const viewer = async (as: Ask) =>
  (await gateway.graphql('{ viewer { usage { unitsUsed } } }', {}, as)).data.viewer;
const month = '2026-10';
const limits = { rateLimit: 1_000, month };

describe('the allowance of the starter tier', () => {
  it('is 100,000 units, then both APIs are 402 until the month turns over', async () => {
    at('2026-10-31T23:59:50Z');
    const { name, ...as } = await makeAccount(gateway, { ...limits, tier: 'starter', used: 99_999 });
    expect((await rest(as)).status).toBe(200); // the remaining units are checked before, and charged after
    const refused = await rest(as);
    expect([refused.status, refused.json]).toEqual([
      402,
      {
        detail:
          'The allowance is used up: 100,004 of 100,000 compute units of this month (UTC). It resets at 2026-11-01T00:00:00Z.',
      },
    ]);
    const other = await graphql(as);
    expect([other.status, other.json]).toEqual([
      402,
      refusedBody('/graphql', 'ALLOWANCE_USED', refused.json.detail),
    ]);
    at('2026-10-31T23:59:59.999Z');
    expect((await rest(as)).status).toBe(402);

    at('2026-11-01T00:00:00Z');
    expect((await rest(as)).status).toBe(200);
    expect((await graphql(as)).json.extensions.cost.remaining).toBe(100_000 - 5 - 1);
    await gateway.meter.flush();
    expect((await viewer(as)).usage.unitsUsed).toBe('6');
    expect((await storedUsage(gateway, name)).units).toBe(99_999 + 5 + 6);
  });

  it('charges what was counted before midnight to the month before', async () => {
    at('2026-10-31T23:59:59Z');
    const { name, ...as } = await makeAccount(gateway, { ...limits, tier: 'starter' });
    await rest(as);
    at('2026-11-01T00:00:01Z');
    expect((await viewer(as)).usage.unitsUsed).toBe('0');
    await rest(as);
    await gateway.meter.flush();
    const { rows } = await gateway.database.pool.query({
      text: `select month::text, units::int from usage join accounts using (account_id) where name = $1 order by month`,
      values: [name],
    });
    expect(rows).toEqual([
      { month: '2026-10-01', units: 5 },
      { month: '2026-11-01', units: 5 },
    ]);
  });
});

describe('the allowance of the free tier', () => {
  it('is 100,000 units for life: no month gives more', async () => {
    at('2026-10-10T00:00:00Z');
    const { name, ...as } = await makeAccount(gateway, {
      ...limits,
      tier: 'free',
      used: 60_000,
      month: '2026-09',
    });
    await storeUsage(gateway, name, '2026-10', 39_999);
    expect((await rest(as)).status).toBe(200);
    for (const moment of ['2026-10-10T00:00:01Z', '2026-11-01T00:00:00Z', '2031-01-01T00:00:00Z']) {
      at(moment);
      await gateway.meter.flush();
      const { status, json } = await rest(as);
      expect(status).toBe(402);
      expect(json.detail).toBe(
        "The allowance is used up: 100,004 of 100,000 compute units of the account's life. It never resets; another tier has a monthly one.",
      );
    }
    await setTier(gateway.database.pool, { name, tier: 'starter', rateLimit: 1_000 });
    await eventually(async () => expect((await rest(as)).status).toBe(200));
  });
});

describe('an allowance', () => {
  it.each([
    ['build', 1_000_000],
    ['growth', 4_000_000],
  ] as const)('of the %s tier is %i units a month', async (tier, units) => {
    at('2026-10-10T00:00:00Z');
    const as = await makeAccount(gateway, { ...limits, tier, used: units - 1 });
    expect((await rest(as)).status).toBe(200);
    expect((await rest(as)).status).toBe(402);
  });

  it('and a rate of a tier are those of the settings', async () => {
    const settings = { TIER_RATES: ['build=7'], TIER_UNITS: ['build=5', 'enterprise=6'] };
    const other = await gatewayForTest({ template: 'empty', settings });
    const statuses = async (tier: 'build' | 'enterprise' | 'growth') => {
      const as = await makeAccount(other, { tier });
      const answers = [await other.get('/v0/eth/slashings', as), await other.get('/v0/eth/slashings', as)];
      return [...answers.map(({ status }) => status), answers[0]?.headers.get('ratelimit-policy')];
    };
    expect(await statuses('build')).toEqual([200, 402, '"persecond";q=7;w=1']);
    expect(await statuses('enterprise')).toEqual([200, 200, null]);
    expect(await statuses('growth')).toEqual([200, 200, '"persecond";q=50;w=1']);
    for (const [name, value] of [
      ['TIER_UNITS', 'starter=5'],
      ['TIER_UNITS', 'free=5'],
      ['TIER_RATES', 'starter=5'],
      ['TIER_RATES', 'build'],
      ['TIER_RATES', 'build=0'],
    ] as const) {
      expect(() => readSettings({ [name]: value })).toThrow(
        `${name} is "${value}"; comma-separated tier=number`,
      );
    }
  });

  it('does not exist for enterprise, unless it is set on the account', async () => {
    at('2026-10-10T00:00:00Z');
    const as = await makeAccount(gateway, { ...limits, used: 10 ** 12 });
    expect((await rest(as)).status).toBe(200);
    const own = await makeAccount(gateway, { ...limits, unitAllowance: 5 });
    expect([(await rest(own)).status, (await rest(own)).status]).toEqual([200, 402]);
  });

  it('of an account counts for it alone, and errors of the caller use it up too', async () => {
    const as = await makeAccount(gateway, { ...limits, tier: 'build', unitAllowance: 2 });
    const other = await makeAccount(gateway, { ...limits, tier: 'build', unitAllowance: 2 });
    const wrong = async () => (await gateway.get('/v0/eth/slashings?size=0', as)).status;
    expect([await wrong(), await wrong(), await wrong()]).toEqual([400, 400, 402]);
    expect((await rest(other)).status).toBe(200);
  });

  it('asks the database nothing, whatever is left', async () => {
    const as = await makeAccount(gateway, { ...limits, tier: 'build', unitAllowance: 1 });
    gateway.statements.length = 0;
    for (const _ of [1, 2, 3]) await gateway.get('/v0/eth/slashings?size=0', as);
    expect(gateway.statements).toEqual([]);
  });
});
