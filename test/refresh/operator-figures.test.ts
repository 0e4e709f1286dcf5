import { beforeEach, describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { addressOf, fifthOfDay, load, refreshed, syncDay, validator, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({
    text: `truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, operator_profiles, chain_balances, operator_summaries,
      operator_lists, operator_series, operator_history, operator_history_days, datasets cascade`,
    values: [],
  }),
);

const only = { only: ['operators'] as const };
const summary = async (id: string, window = '7d', more = '') =>
  (await gateway.get(`/v0/eth/operators/${encodeURIComponent(id)}/summary?window=${window}${more}`)).json;

describe('what the chain does not tell', () => {
  slow('is kept of what is stored: tags, names of operators and of pool shares', async () => {
    const named = { displayName: 'Pool P', operatorTags: [{ name: 'exchange', path: '/x' }] };
    const own = { idType: 'poolShare', poolId: 'P', nodeOperatorId: 'N', displayName: 'Share' };
    await load(gateway, 'operators', [operator('P', named), operator('N in P', own), operator('gone')]);
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
    await refreshed(gateway, only);
    for (const window of ['1d', '7d', 'all']) {
      expect(await summary('P', window)).toMatchObject({ ...named, validatorCount: 1 });
      expect(await summary('N in P', window)).toMatchObject({ displayName: 'Share', validatorCount: 1 });
    }
    expect((await gateway.get('/v0/eth/operators?window=7d&idType=pool&poolType=cex')).json.total).toBe(1);
    expect((await gateway.get('/v0/eth/operators?window=1d&parentId=P&poolType=cex')).json.total).toBe(1);
    // a class that is computed is replaced as a whole
    expect((await gateway.get('/v0/eth/operators/gone/summary?window=7d')).status).toBe(404);
  });

  slow('is that of profiles where there are some', async () => {
    await load(gateway, 'operators', [operator('P', { displayName: 'old' })]);
    await load(gateway, 'operator-profiles', [
      { id: 'P', idType: 'pool', displayName: 'new', operatorTags: [{ name: 'liquid staking', path: null }] },
      { id: 'Share of N', idType: 'poolShare', poolId: 'P', nodeOperatorId: 'N' },
      {
        id: addressOf(0).replace('0x', '0X').toUpperCase().replace('0X', '0x'),
        idType: 'depositAddress',
        displayName: 'Whale',
      },
    ]);
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
    await refreshed(gateway, only);
    expect(await summary('P')).toMatchObject({
      displayName: 'new',
      operatorTags: [{ name: 'liquid staking', path: null }],
    });
    expect(await summary('Share of N')).toMatchObject({ idType: 'poolShare', validatorCount: 1 });
    expect(await summary(addressOf(0))).toMatchObject({ displayName: 'Whale' });
    expect((await gateway.get('/v0/eth/operators?window=7d&parentId=N&poolType=lst')).json.total).toBe(1);
  });

  slow(
    'leaves a class of which no validator is known, other classes and other networks as they are',
    async () => {
      await load(gateway, 'operators', [
        operator('P'),
        operator('E', { idType: 'entity' }),
        operator('P', { network: 'hoodi' }),
      ]);
      await load(gateway, 'validators', [validator(1, { pool: null })]);
      await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
      const reports = await refreshed(gateway, only);
      expect(reports.filter(({ network }) => network !== 'mainnet').map(({ state }) => state)).toEqual(
        Array(12).fill('no facts'),
      );
      expect(await summary('P')).toMatchObject({ validatorCount: 10 });
      expect(await summary('E')).toMatchObject({ validatorCount: 10 });
      expect(await summary('N')).toMatchObject({ validatorCount: 1, nodeOperatorCount: null });
    },
  );

  slow('is refused by name where two pool shares would have one name', async () => {
    const pools = [
      validator(1, { pool: 'A - B', nodeOperator: 'C' }),
      validator(2, { pool: 'A', nodeOperator: 'B - C' }),
    ];
    await load(gateway, 'validators', pools);
    await load(gateway, 'validator-days', [validatorDay(1, 1_500), validatorDay(2, 1_500)]);
    await expect(refreshed(gateway, only)).rejects.toThrow(
      /^The name "A - B - C", of .*, is that of 2 pool shares/,
    );
    const profile = { idType: 'poolShare', poolId: 'A', nodeOperatorId: 'B - C', id: 'other' };
    await load(gateway, 'operator-profiles', [profile]);
    await refreshed(gateway, only);
    expect(await summary('other')).toMatchObject({ validatorCount: 1 });
  });

  it.each([
    [{ id: 'x', idType: 'poolShare', poolId: 'P' }, 'nodeOperatorId'],
    [{ id: '', idType: 'pool' }, 'id'],
    [{ id: 'x', idType: 'entity' }, 'idType'],
    [{ id: 'x', idType: 'pool', operatorTags: [{}] }, 'operatorTags'],
  ])('refuses the profile %j naming %s', async (row, field) => {
    await expect(load(gateway, 'operator-profiles', [row])).rejects.toThrow(`"field":"${field}`);
  });
});

describe('the share of the network', () => {
  const penetration = async () => (await summary('P', '1d')).networkPenetration;
  const known = async (validators: object[], days: object[]) => {
    await load(gateway, 'validators', validators);
    await load(gateway, 'validator-days', days);
    await refreshed(gateway, only);
  };

  it('is that of all validators where each that was active has a day', async () => {
    await known(
      [
        validator(0),
        validator(1, { pool: 'Q' }),
        validator(2, { activationEpoch: 1_501 * 225 }), // later
        validator(3, { exitEpoch: 1_500 * 225 }), // before
        validator(4, { activationEpoch: null }), // not yet
      ],
      [validatorDay(0, 1_500), validatorDay(1, 1_500, { endEpochEffectiveBalance: 96_000_000_000 })],
    );
    expect(await penetration()).toBe(0.25);
    const asked =
      '{ operators(window: ONE_DAY, idType: POOL) { nodes { operatorId summary(window: ONE_DAY) { networkPenetration } } } }';
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(asked);
    expect(errors).toBeUndefined();
    expect(data.operators.nodes.map((one: any) => [one.operatorId, one.summary.networkPenetration])).toEqual([
      ['Q', 0.75],
      ['P', 0.25],
    ]);
    expect(gateway.statements).toHaveLength(1);
  });

  slow.each<[string, object[], object[]]>([
    ['an index is missing', [validator(1)], [validatorDay(1, 1_500)]],
    ['one that was active has no day', [validator(0), validator(1)], [validatorDay(0, 1_500)]],
    ['one with a day is not stored', [validator(0)], [validatorDay(0, 1_500), validatorDay(1, 1_500)]],
    ['an activation is not known', [validator(0, { activationEpoch: null })], [validatorDay(0, 1_500)]],
    ['no validators are stored but those', [validator(7)], [validatorDay(7, 1_500)]],
  ])('is null without a chain balance where %s', async (_what, validators, days) => {
    await known(validators, days);
    expect(await penetration()).toBeNull();
    await load(gateway, 'chain-balances', [{ epoch: 1_500 * 225, totalActiveBalance: 128_000_000_000 }]);
    await refreshed(gateway, only);
    expect(await penetration()).toBe(0.25);
  });
});

describe('a validator with sync duty alone, after its exit', () => {
  it('counts in no mean, no balance and no number of validators', async () => {
    await load(gateway, 'validators', [validator(1), validator(2, { exitEpoch: 1_500 * 225 })]);
    await load(gateway, 'validator-days', [
      validatorDay(1, 1_500, { sumMissedAttestations: 0, sumAttestationRewards: 1_000_000 }),
      syncDay(2, 1_500),
    ]);
    await refreshed(gateway, only);
    for (const window of ['1d', 'all'])
      expect(await summary('P', window)).toMatchObject({
        validatorCount: 1,
        avgUptime: 1,
        avgValidatorEffectiveness: 100,
        sumEndEpochEffectiveBalance: 32_000_000_000,
        aprPercentage: (36_500 * 1_000_000) / 32_000_000_000,
      });
  });
});

describe('validators that were not active for the whole window', () => {
  slow('count for effectiveness, and for APR with the epochs in which they were active', async () => {
    await load(gateway, 'validators', [
      validator(1),
      validator(2, { activationEpoch: 1_500 * 225 + 1 }),
      validator(3, { exitEpoch: 1_501 * 225 + 100 }),
      validator(4),
    ]);
    const days = [1, 2, 3, 4].flatMap((index) =>
      [1_500, 1_501].map((day) => validatorDay(index, day, { sumAttestationRewards: 1_000_000 * index })),
    );
    await load(
      gateway,
      'validator-days',
      days.filter((row) => row.validatorIndex !== 4 || row.day === 1_500),
    );
    await refreshed(gateway, only);
    const apr = (36_500 * 1_000_000) / 32_000_000_000;
    const close = (value: number) => expect.closeTo(value, 9);
    expect(await summary('P')).toMatchObject({ validatorCount: 3, aprPercentage: close((16 / 7) * apr) });
    expect(await summary('P', '1d')).toMatchObject({ validatorCount: 3, aprPercentage: close(2 * apr) });
  });

  slow.each(['1d', '7d', 'all'])(
    'have the APR of %s of what is stored of a day that is not over',
    async (window) => {
      await load(gateway, 'validators', [validator(1)]);
      const whole = validatorDay(1, 1_500, { sumAttestationRewards: 1_000_000, sumMissedAttestations: 0 });
      const fifth = fifthOfDay(1, 1_501, { sumAttestationRewards: 200_000 });
      await load(gateway, 'validator-days', [whole, fifth]);
      await refreshed(gateway, only);
      const { aprPercentage } = await summary('P', window);
      expect(aprPercentage).toBeCloseTo((36_500 * 1_000_000) / 32_000_000_000, 12);
    },
  );

  slow('count for APR of all time when they were active in its last 90 days', async () => {
    await load(gateway, 'validators', [validator(1)]);
    const days = Array.from({ length: 92 }, (_, at) =>
      validatorDay(1, 1_400 + at, { sumAttestationRewards: at < 2 ? 900_000_000 : 1_000_000 }),
    );
    await load(gateway, 'validator-days', days);
    await refreshed(gateway, only);
    expect(await summary('P', 'all')).toMatchObject({ aprPercentage: (36_500 * 1_000_000) / 32_000_000_000 });
  });
});
