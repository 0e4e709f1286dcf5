import fc from 'fast-check';
import { parse } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { StakeAuthoritySummary } from '../../src/resources/stake-authorities/record.ts';
import type { SampleStakeAuthority } from '../../src/sample/solana.ts';
import { decimals, ratios, signedDecimals, written } from '../support/decimals.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { sampleStakeAuthorities } from '../support/sample.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text = 'truncate stake_authority_summaries, stake_authority_lists cascade';
  await gateway.database.pool.query({ text, values: [] });
});

const sample: SampleStakeAuthority[] = [];
for (const row of sampleStakeAuthorities()) if (sample.push(row) === 40) break;
const { timeWindow: _, ...record } = sample.find((row) => row.poolName === null) as SampleStakeAuthority;
/** The same authority with another last digit of its address. */
const key = (digit: string) => record.stakeAuthority.slice(0, -1) + digit;
const row = (digit: string, change: object = {}) => ({ ...record, stakeAuthority: key(digit), ...change });

const load = (rows: unknown, options = {}) =>
  importText(gateway, 'stake-authorities', typeof rows === 'string' ? rows : JSON.stringify(rows), {
    window: '7d',
    ...options,
  });
const V0 = '/v0/solana/delegators/stakeAuthorities?size=200';
const V1 = '/v1/solana/delegators/stakeAuthorities?limit=200';
const answer = async (query = 'window=7d') => (await gateway.get(`${V0}&${query}`)).json.data;
const keys = async (query?: string) =>
  (await answer(query)).map((found: any) => found.stakeAuthority.slice(-1));
/** The v0 body that holds these rows as its whole list. */
const body = (data: unknown[]) => ({
  page: { from: 0, to: data.length, size: 200 },
  total: data.length,
  data,
  next: null,
});

describe('importing stake authorities', () => {
  it('takes what either version answers, and importing it again changes nothing', async () => {
    await load(sample);
    const [v0, v1] = [await gateway.get(`${V0}&window=1d`), await gateway.get(`${V1}&window=1d`)];
    expect(v0.json.data).toHaveLength(40);
    expect(await load(v0.text, { window: '30d' })).toMatchObject({ inserted: 40, faults: [] });
    expect((await gateway.get(`${V0}&window=30d`)).text).toBe(v0.text);
    expect(await load(v1.text, { window: '30d' })).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect((await gateway.get(`${V0}&window=30d`)).text).toBe(v0.text);
    expect((await gateway.get(`${V1}&window=30d`)).text).toBe(v1.text.replaceAll('window=1d', 'window=30d'));
  });

  slow('keeps every digit from the file to the answer, those of the delegations too', async () => {
    const values = fc.record({
      stakingRewardsApy: written(signedDecimals),
      delegatedStake: written(decimals),
      networkPenetration: written(ratios),
      sumRewards: written(decimals),
      percentages: fc.array(written(ratios), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(values, async ({ percentages, ...given }) => {
        const fields = Object.entries(given);
        const [delegation] = record.delegations;
        const { percentage: _p, ...validator } = delegation as (typeof record.delegations)[number];
        const others = Object.entries(record).filter(([name]) => !(name in given) && name !== 'delegations');
        const entries = [
          ...others.map(([name, value]) => `"${name}":${JSON.stringify(value)}`),
          ...fields.map(([name, { json }]) => `"${name}":${json}`),
          `"delegations":[${percentages.map(({ json }) => `{"percentage":${json},${JSON.stringify(validator).slice(1)}`)}]`,
        ];
        expect((await load(`{${entries}}`)).faults).toEqual([]);

        const plain = Object.fromEntries(fields.map(([name, { value }]) => [name, value]));
        const delegations = percentages.map(({ value }) => ({ ...validator, percentage: value }));
        const [v0] = await answer();
        expect(v0).toMatchObject({ ...plain, delegations });
        const v1 = parse((await gateway.get(`${V1}&window=7d`)).text, null, (digits) => digits) as {
          results: unknown[];
        };
        expect(v1.results[0]).toMatchObject({ ...plain, delegations });
        const { data } = await gateway.graphql(`{ stakeAuthorities(window: SEVEN_DAYS) { nodes {
          summary(window: SEVEN_DAYS) {
            ${Object.keys(given)} delegations { validatorVoteAccount validatorName percentage: ratio } } } } }`);
        const { stakingRewardsApy, networkPenetration, ...amounts } = plain;
        const ratios = {
          stakingRewardsApy: Number(stakingRewardsApy),
          networkPenetration: Number(networkPenetration),
        };
        const shares = delegations.map((one) => ({ ...one, percentage: Number(one.percentage) }));
        expect(data.stakeAuthorities.nodes).toEqual([
          { summary: { ...amounts, ...ratios, delegations: shares } },
        ]);
      }),
      { ...runs(60), endOnFailure: true },
    );
  });

  it('ranks by every digit of the network penetration, then by address', async () => {
    const close = '0.00000000000000000000000000000000000001';
    await load([
      row('1', { networkPenetration: '0' }),
      row('4', { networkPenetration: '0.1' }),
      row('3', { networkPenetration: '0.100' }),
      row('2', { networkPenetration: close }),
      row('5', { networkPenetration: `0.1${close.slice(3)}` }),
    ]);
    expect(await keys()).toEqual(['5', '3', '4', '2', '1']);
  });

  it('ranks anew what a later file changes, in each type', async () => {
    await load([row('1', { networkPenetration: '0.3' }), row('2', { networkPenetration: '0.2' })]);
    await load([row('3', { networkPenetration: '0.25', poolName: 'Sample Stake Pool' })]);
    expect(await keys()).toEqual(['1', '3', '2']);
    await load([row('1', { networkPenetration: '0.1', poolName: 'Another' })]);
    expect(await keys()).toEqual(['3', '2', '1']);
    expect(await keys('window=7d&type=pool')).toEqual(['3', '1']);
    expect(await keys('window=7d&type=individual')).toEqual(['2']);
    expect(await keys('window=1d')).toEqual([]);
  });

  slow('replaces the list of a window by a body that holds all of it, of both types', async () => {
    const pool = { poolName: 'Sample Stake Pool' };
    await load([row('1'), row('2'), row('3', pool), row('4', pool)]);
    await load([row('1')], { window: '1d' });
    expect(await load(body([row('3', pool), row('4', pool)]))).toMatchObject({ removed: 0 });
    expect(await load(body([row('1')]))).toMatchObject({ removed: 0 });
    expect(await load(body([row('1'), row('3', pool)]), { replace: false })).toMatchObject({ removed: 0 });
    expect(await load(body([row('1'), row('3', pool)]))).toMatchObject({ removed: 2, replaced: true });
    expect(await keys()).toEqual(['1', '3']);
    expect(await keys('window=1d')).toEqual(['1']);
    expect(await load([row('1')], { replace: true })).toMatchObject({ removed: 1 });
  });

  it('prefers the window of the row to that of the command line, and needs one of them', async () => {
    await load([row('1', { timeWindow: 'all' }), row('2')]);
    expect([await keys('window=all'), await keys()]).toEqual([['1'], ['2']]);
    const { faults } = await load([row('1')], { window: undefined });
    expect(faults).toMatchObject([
      { field: 'timeWindow', msg: 'is missing; must be one of 1d, 7d, 30d, all: in the row or as --window' },
    ]);
  });

  it('has null for a name that is absent, and refuses one that is empty', async () => {
    const { poolName: _name, ...unnamed } = row('1');
    const delegations = record.delegations.map(({ validatorName: _v, ...rest }) => rest);
    await load([{ ...unnamed, delegations }]);
    const [found] = await answer();
    expect(found.poolName).toBeNull();
    expect(found.delegations[0].validatorName).toBeNull();
    expect((await load([row('1', { poolName: '' })])).faults).toMatchObject([{ field: 'poolName' }]);
  });

  it.each([
    ['stakeAuthority', '0OIl'],
    ['delegatedStake', '-1'],
    ['delegatedStake', 'NaN'],
    ['networkPenetration', '1.1'],
    ['networkPenetration', null],
    ['blendedVoteCommissionRate', '7'],
    ['validatorDelegates', 1.5],
    ['sumRewards', '1e99'],
    ['delegations', null],
  ])('tells of %s that is %j', async (field, value) => {
    expect((await load([row('1', { [field]: value })])).faults.map((fault) => fault.field)).toEqual([field]);
  });
});

describe('the sample stake authorities', () => {
  const units = (text: string) => BigInt(text.replace('.', ''));
  const rows = [...sampleStakeAuthorities()];

  slow('are 1,500 in each of four windows, of names that read as names, the same each time', () => {
    expect(rows).toHaveLength(6_000);
    expect(new Set(rows.map((one) => `${one.timeWindow}:${one.stakeAuthority}`)).size).toBe(6_000);
    expect(rows.slice(0, 40)).toEqual(sample);
    for (const { timeWindow: _w, ...one } of rows)
      expect(StakeAuthoritySummary.safeParse(one).success).toBe(true);
    const names = rows.flatMap((one) => [one.poolName, ...one.delegations.map((part) => part.validatorName)]);
    for (const name of names) if (name !== null) expect(name).toMatch(/^(?!sample)\S.*\S$/i);
  });

  slow('have sums that are exact', () => {
    for (const one of rows) {
      expect(units(one.sumStakingRewards) + units(one.sumMevRewards)).toBe(units(one.sumRewards));
      expect(units(one.sumStakingCommissionPaid) + units(one.sumMevCommissionPaid)).toBe(
        units(one.sumCommissionPaid),
      );
      expect(units(one.stakingRewardsApy) + units(one.mevRewardsApr)).toBe(units(one.delegatorApy));
      const shares = one.delegations.map((part) => units(part.percentage));
      expect(shares.reduce((all, share) => all + share, 0n)).toBe(10n ** 12n);
      expect(new Set(one.delegations.map((part) => part.validatorVoteAccount)).size).toBe(
        one.validatorDelegates,
      );
    }
  });
});
