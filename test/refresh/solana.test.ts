import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { TimeWindow } from '../../src/chain/windows.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import { load, published, refreshed, revisions } from './facts.ts';
import { clearSolana, keyOf } from './solana-epochs.ts';

const gateway = useGateway({ template: 'empty' });
const clear = () => gateway.database.pool.query({ text: clearSolana, values: [] });
beforeEach(clear);

const only = { only: ['solana'] as const };
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');
const lamports = (value: bigint) =>
  `${value / 1_000_000_000n}.${String(value % 1_000_000_000n).padStart(9, '0')}`;
/** Stake, none now and then. */
const stake = (max: bigint) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.bigInt({ min: 1_000n, max }).map((whole) => lamports(whole * 1_000_000_007n)),
    },
    { weight: 1, arbitrary: fc.constant('0.000000000') },
  );
/** What stake earns in an epoch: at most 0.1 %. */
const earned = fc.bigInt({ min: 0n, max: 1_000n });
const sol = (max: number) => fc.bigInt({ min: 0n, max: BigInt(max) * 1_000_000_000n }).map(lamports);
const rate = (min = 0) => fc.integer({ min, max: 1_000 }).map((part) => (part / 1_000).toFixed(3));
/** A part and its whole. */
const within = (max: number) =>
  fc
    .tuple(fc.nat(max), fc.nat(max))
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);

const validatorEpoch = (epoch: number, voteAccount: string) =>
  fc
    .record({
      activeStake: stake(5_000_000n),
      effectiveness: rate(500),
      voteCommissionRate: rate(),
      mevCommissionRate: rate(),
      votes: within(400_000),
      latency: fc.nat(100_000),
      blocks: within(40),
      earned,
      mev: sol(90),
      part: fc.bigInt({ min: 0n, max: 100n }),
      proposalRewards: sol(20),
      rentRewards: sol(1),
      votingCosts: sol(3),
    })
    .map(({ votes, latency, blocks, earned, mev, part, ...own }) => ({
      epoch,
      voteAccount,
      validatorName: voteAccount.endsWith('1') ? null : voteAccount.slice(0, 6),
      ...own,
      votesLanded: votes[0],
      votesDue: votes[1],
      sumVotingLatency: votes[0] + latency,
      producedBlocks: blocks[0],
      leaderSlots: blocks[1],
      votingRewards: lamports((units(own.activeStake) * earned) / 1_000_000n),
      votingCommission: lamports((units(own.activeStake) * earned * part) / 100_000_000n),
      mevRewards: mev,
      mevCommission: lamports((units(mev) * part) / 100n),
    }));
const units = (text: string) => BigInt(text.replace('.', ''));

const authorityEpoch = (epoch: number, stakeAuthority: string, voteAccount: string) =>
  fc
    .record({
      delegatedStake: stake(900_000n),
      earned,
      mevRewards: sol(10),
      stakingCommissionPaid: sol(10),
      mevCommissionPaid: sol(1),
    })
    .map(({ earned, ...own }) => ({
      epoch,
      stakeAuthority,
      voteAccount,
      poolName: stakeAuthority === keyOf(1) ? 'Pool' : null,
      stakingRewards: lamports((units(own.delegatedStake) * earned) / 1_000_000n),
      ...own,
    }));

const EPOCHS = 24;
const BEGAN = 1_700_000_000;
const story = fc
  .record({
    count: fc.integer({ min: 1, max: EPOCHS }),
    seconds: fc.array(fc.integer({ min: 150_000, max: 190_000 }), { minLength: EPOCHS, maxLength: EPOCHS }),
    counts: fc.array(fc.tuple(within(1_000), fc.option(fc.nat(100))), {
      minLength: EPOCHS,
      maxLength: EPOCHS,
    }),
  })
  .chain(({ count, seconds, counts }) => {
    const epochs = Array.from({ length: count }, (_, epoch) => {
      const start = BEGAN + seconds.slice(0, epoch).reduce((sum, one) => sum + one, 0);
      const [[authorities, accounts], deactivating] = counts[epoch] as (typeof counts)[number];
      return {
        ...{ epoch, startedAt: iso(start), endedAt: iso(start + (seconds[epoch] as number)) },
        ...{
          stakeAccountCount: accounts,
          withdrawAuthorityCount: authorities,
          stakeAuthorityCount: authorities,
        },
        deactivatingStakeAccountCount: deactivating,
      };
    });
    const votes = [20, 21, 22].map(keyOf);
    const validators = epochs.flatMap(({ epoch }) => votes.map((vote) => validatorEpoch(epoch, vote)));
    const authorities = epochs.flatMap(({ epoch }) =>
      [0, 1, 2].flatMap((authority) =>
        votes.map((vote) => {
          const row = authorityEpoch(epoch, keyOf(authority), vote);
          return authority === 0 ? row : fc.option(row);
        }),
      ),
    );
    return fc.record({
      epochs: fc.constant(epochs),
      validators: fc.tuple(...validators),
      authorities: fc.tuple(...authorities).map((rows) => rows.filter((row) => row !== null)),
    });
  });
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

const YEAR = 31_536_000;
const DAY = 86_400;
const seconds = (text: string) => Date.parse(text) / 1000;
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((all, row) => all + of(row), 0);
/** To the lamport. */
const exactSum = <Row>(rows: readonly Row[], of: (row: Row) => string) =>
  lamports(rows.reduce((all, row) => all + units(of(row)), 0n));
/** What perfect validators would have earned more, in whole numbers of 10^-29 SOL, rounded to the lamport at the end. */
const missedSum = <Row>(rows: readonly Row[], of: (row: Row) => string, share: (row: Row) => string) => {
  const fine = 10n ** 20n;
  const missed = rows.reduce((all, row) => {
    const [whole = '0', digits = ''] = share(row).split('.');
    const [part, one] = [BigInt(whole + digits), 10n ** BigInt(digits.length)];
    return part === 0n ? all : all + (units(of(row)) * fine * (one - part)) / part;
  }, 0n);
  return lamports((missed + fine / 2n) / fine);
};
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const n = Number;

/** The epochs of a window, computed with plain loops. */
function spanOf({ epochs }: Story, days: number, apyDays: number) {
  const newest = epochs.at(-1) as (typeof epochs)[number];
  const since = (count: number) =>
    epochs.filter((one) => seconds(one.endedAt) > seconds(newest.endedAt) - count * DAY);
  const inside = since(days);
  const before = epochs.filter((one) => !inside.includes(one)).at(-1) ?? (epochs[0] as typeof newest);
  const paid = since(apyDays);
  const length = new Map(epochs.map((one) => [one.epoch, seconds(one.endedAt) - seconds(one.startedAt)]));
  const pace = (paid.length * YEAR) / sum(paid, (one) => length.get(one.epoch) as number);
  const isIn = (list: typeof epochs) => (row: { epoch: number }) =>
    list.some((one) => one.epoch === row.epoch);
  const apr = (rewards: number, earning: number) => ratio(rewards * YEAR, earning);
  const apy = (rewards: number, earning: number) => (1 + apr(rewards, earning) / pace) ** pace - 1;
  return { newest, before, length, inside: isIn(inside), paid: isIn(paid), apr, apy };
}

function overviewOf(told: Story, span: ReturnType<typeof spanOf>) {
  const rows = told.validators.filter(span.inside);
  const paid = told.validators.filter(span.paid);
  const at = (epoch: number) => told.validators.filter((row) => row.epoch === epoch);
  const effectiveness = (of: typeof rows) =>
    ratio(
      sum(of, (row) => n(row.activeStake) * n(row.effectiveness)),
      sum(of, (row) => n(row.activeStake)),
    );
  const earning = sum(paid, (row) => n(row.activeStake) * (span.length.get(row.epoch) as number));
  const income = sum(
    paid,
    (row) => n(row.votingCommission) + n(row.mevCommission) + n(row.proposalRewards) + n(row.rentRewards),
  );
  const staked = sum(paid, (row) => n(row.votingRewards) - n(row.votingCommission));
  const tipped = sum(paid, (row) => n(row.mevRewards) - n(row.mevCommission));
  const active = (epoch: number) => at(epoch).filter((row) => n(row.activeStake) > 0).length;
  const stakes = at(span.newest.epoch)
    .map((row) => n(row.activeStake))
    .filter(Boolean)
    .sort((a, b) => a - b);
  // mean absolute difference over twice the mean: the definition, not the formula
  const differences = sum(stakes, (one) => sum(stakes, (other) => Math.abs(one - other)));
  const { newest, before } = span;
  return {
    networkEffectiveness: effectiveness(rows),
    networkVoteSuccessRate: ratio(
      sum(rows, (row) => row.votesLanded),
      sum(rows, (row) => row.votesDue),
    ),
    networkMissedBlocksRate: ratio(
      sum(rows, (row) => row.leaderSlots - row.producedBlocks),
      sum(rows, (row) => row.leaderSlots),
    ),
    networkVotingLatency: ratio(
      sum(rows, (row) => row.sumVotingLatency),
      sum(rows, (row) => row.votesLanded),
    ),
    validatorApy: span.apy(income, earning),
    netValidatorApy: span.apy(income - sum(paid, (row) => n(row.votingCosts)), earning),
    delegatorApy: span.apy(staked, earning) + span.apr(tipped, earning),
    rewardsSolanaVoting: exactSum(rows, (row) => row.votingRewards),
    rewardsSolanaProposals: exactSum(rows, (row) => row.proposalRewards),
    rewardsSolanaMev: exactSum(rows, (row) => row.mevRewards),
    rewardsSolanaRent: exactSum(rows, (row) => row.rentRewards),
    activeValidatorCount: active(newest.epoch),
    activeValidatorDiff: active(newest.epoch) - active(before.epoch),
    totalDelegatedStake: exactSum(at(newest.epoch), (row) => row.activeStake),
    activeDelegatorStakeAccountCount: newest.stakeAccountCount,
    activeDelegatorStakeAccountCountDiff: newest.stakeAccountCount - before.stakeAccountCount,
    activeDelegatorWithdrawAuthorityCount: newest.withdrawAuthorityCount,
    activeDelegatorWithdrawAuthorityCountDiff: newest.withdrawAuthorityCount - before.withdrawAuthorityCount,
    stakeAccountWithdrawAuthorityRatio: ratio(newest.stakeAccountCount, newest.withdrawAuthorityCount),
    activeDelegatorStakeAuthorityCount: newest.stakeAuthorityCount,
    activeDelegatorStakeAuthorityCountDiff: newest.stakeAuthorityCount - before.stakeAuthorityCount,
    stakeAccountStakeAuthorityRatio: ratio(newest.stakeAccountCount, newest.stakeAuthorityCount),
    networkEffectivenessDiff: effectiveness(rows) - effectiveness(at(before.epoch)),
    giniCoefficient: ratio(differences, 2 * stakes.length * sum(stakes, (one) => one)),
    deactivatingStakeAccounts: newest.deactivatingStakeAccountCount,
  };
}

function authoritiesOf(told: Story, span: ReturnType<typeof spanOf>) {
  const validatorOf = new Map(told.validators.map((row) => [`${row.epoch} ${row.voteAccount}`, row]));
  const its = (row: { epoch: number; voteAccount: string }) =>
    validatorOf.get(`${row.epoch} ${row.voteAccount}`) as Story['validators'][number];
  const atEnd = told.authorities.filter((row) => row.epoch === span.newest.epoch);
  const validatorStake = sum(
    told.validators.filter((row) => row.epoch === span.newest.epoch),
    (row) => n(row.activeStake),
  );
  const total = Math.max(
    validatorStake,
    sum(atEnd, (row) => n(row.delegatedStake)),
  );
  const expected = new Map<string, any>();
  for (const key of new Set(told.authorities.filter(span.inside).map((row) => row.stakeAuthority))) {
    const rows = told.authorities.filter((row) => row.stakeAuthority === key && span.inside(row));
    const paid = told.authorities.filter((row) => row.stakeAuthority === key && span.paid(row));
    const last = atEnd.filter((row) => row.stakeAuthority === key && n(row.delegatedStake) > 0);
    const stake = sum(last, (row) => n(row.delegatedStake));
    const weighted = (of: (row: Story['validators'][number]) => string) =>
      ratio(
        sum(rows, (row) => n(row.delegatedStake) * n(of(its(row)))),
        sum(rows, (row) => n(row.delegatedStake)),
      );
    const earning = sum(paid, (row) => n(row.delegatedStake) * (span.length.get(row.epoch) as number));
    const staking = span.apy(
      sum(paid, (row) => n(row.stakingRewards)),
      earning,
    );
    const mev = span.apr(
      sum(paid, (row) => n(row.mevRewards)),
      earning,
    );
    expected.set(key, {
      poolName: key === keyOf(1) ? 'Pool' : null,
      validatorDelegates: last.length,
      ...Object.fromEntries(last.map((row) => [`to ${row.voteAccount}`, n(row.delegatedStake) / stake])),
      stakingRewardsApy: staking,
      mevRewardsApr: mev,
      delegatorApy: staking + mev,
      aggregateValidatorEffectiveness: weighted((row) => row.effectiveness),
      blendedVoteCommissionRate: weighted((row) => row.voteCommissionRate),
      blendedMevCommissionRate: weighted((row) => row.mevCommissionRate),
      networkPenetration: ratio(stake, total),
      sumMissedStakingRewards: missedSum(
        rows,
        (row) => row.stakingRewards,
        (row) => its(row).effectiveness,
      ),
      delegatedStake: exactSum(last, (row) => row.delegatedStake),
      sumStakingRewards: exactSum(rows, (row) => row.stakingRewards),
      sumMevRewards: exactSum(rows, (row) => row.mevRewards),
      sumRewards: lamports(
        units(exactSum(rows, (row) => row.stakingRewards)) + units(exactSum(rows, (row) => row.mevRewards)),
      ),
      sumStakingCommissionPaid: exactSum(rows, (row) => row.stakingCommissionPaid),
      sumMevCommissionPaid: exactSum(rows, (row) => row.mevCommissionPaid),
    });
  }
  return expected;
}

/** Text and whole numbers are the same digit for digit; ratios to 1e-12. */
function expectRow(found: any, wanted: Record<string, unknown>, name: string) {
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    if (typeof value !== 'number' || Number.isInteger(value)) {
      const got = typeof value === 'number' ? Number(found[field]) : found[field];
      expect(got, `${name} ${field}`).toEqual(value);
      continue;
    }
    expect(
      Math.abs(Number(found[field]) - value),
      `${name} ${field} ${found[field]} ${value}`,
    ).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(value)));
  }
}

const store = async (told: Story) => {
  await clear();
  await load(gateway, 'solana-epochs', told.epochs);
  await load(gateway, 'solana-validator-epochs', told.validators);
  await load(gateway, 'solana-stake-authority-epochs', told.authorities);
};
const windows = { '1d': [1, 3], '7d': [7, 7], '30d': [30, 30], all: [10_000, 10_000] } as const;

describe('Solana of a refresh', () => {
  slow(
    'is what plain loops over the epochs give, in every window, and the same the second time',
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async (told) => {
          await store(told);
          await refreshed(gateway, only);
          const overviews = (await gateway.get('/v0/solana/network/overview')).json;
          expect(overviews.map((row: any) => row.timeWindow)).toEqual(TimeWindow.options);
          for (const [at, window] of TimeWindow.options.entries()) {
            const [days, apyDays] = windows[window];
            const span = spanOf(told, days, apyDays);
            expectRow(overviews[at], overviewOf(told, span), window);
            const { json } = await gateway.get(
              `/v0/solana/delegators/stakeAuthorities?window=${window}&size=200`,
            );
            const wanted = authoritiesOf(told, span);
            expect(json.data.map((row: any) => row.stakeAuthority).sort()).toEqual([...wanted.keys()].sort());
            for (const row of json.data) {
              const to = row.delegations.map((one: any) => [
                `to ${one.validatorVoteAccount}`,
                one.percentage,
              ]);
              expectRow(
                { ...row, ...Object.fromEntries(to) },
                wanted.get(row.stakeAuthority),
                `${window} ${row.stakeAuthority}`,
              );
              expect(row.delegations.length).toBe(row.validatorDelegates);
            }
          }
          const [rows, raised] = [await published(gateway), await revisions(gateway)];
          await refreshed(gateway, only);
          expect(await published(gateway)).toEqual(rows);
          expect(await revisions(gateway)).toEqual(raised);
        }),
        { ...runs(8), endOnFailure: true },
      );
    },
  );

  slow('tells no stake to the lamport too', async () => {
    const [told] = fc.sample(story, 1) as [Story];
    const last = told.epochs.at(-1)?.epoch;
    const none = <Row extends { epoch: number }>(rows: readonly Row[]) =>
      rows.map((row) => {
        const amounts = Object.entries(row).filter(([, value]) => /^\d+\.\d{9}$/.test(String(value)));
        return row.epoch === last
          ? { ...row, ...Object.fromEntries(amounts.map(([name]) => [name, '0.000000000'])) }
          : row;
      });
    await store({
      ...told,
      validators: none(told.validators) as typeof told.validators,
      authorities: none(told.authorities),
    });
    await refreshed(gateway, only);
    const [overview] = (await gateway.get('/v0/solana/network/overview')).json;
    expect(overview.totalDelegatedStake).toBe('0.000000000');
  });

  it('has nothing left of the stake where voting costs more than it', async () => {
    const [told] = fc.sample(story, 1) as [Story];
    const validators = told.validators.map((row) => ({
      ...row,
      activeStake: '9000000.000000000',
      votingCosts: '900000000000.000000000',
    }));
    await store({ ...told, validators: validators as typeof told.validators });
    await refreshed(gateway, only);
    const overviews = (await gateway.get('/v0/solana/network/overview')).json;
    expect(new Set(overviews.map((row: any) => row.netValidatorApy))).toEqual(new Set([-1]));
  });

  it('refuses stake with a validator that is not stored, by name', async () => {
    const [told] = fc.sample(story, 1) as [Story];
    await store({
      ...told,
      validators: told.validators.filter((row) => row.voteAccount !== keyOf(20)) as Story['validators'],
    });
    await expect(refreshed(gateway, only)).rejects.toThrow(
      `Stake is with validator ${keyOf(20)} in epoch ${Math.max(0, told.epochs.length - 2)}`.slice(0, 75),
    );
  });

  slow('takes an epoch for whole only when validators and stake authorities are there', async () => {
    const told = fc.sample(story, 20).find((one) => one.epochs.length > 2) as Story;
    await store(told);
    await refreshed(gateway, only);
    const rows = await published(gateway);
    const next = { ...(told.epochs.at(-1) as (typeof told.epochs)[number]) };
    const later = seconds(next.endedAt) + 170_000;
    await load(gateway, 'solana-epochs', [
      { ...next, epoch: 900, startedAt: next.endedAt, endedAt: iso(later) },
    ]);
    await load(gateway, 'solana-validator-epochs', [{ ...told.validators[0], epoch: 900 }]);
    await refreshed(gateway, only);
    expect(await published(gateway)).toEqual(rows);
  });

  it.each([
    ['solana-epochs', { endedAt: '2020-01-01T00:00:00Z' }, 'endedAt'],
    ['solana-epochs', { stakeAuthorityCount: 5_000 }, 'stakeAuthorityCount'],
    ['solana-validator-epochs', { votesLanded: 900_000 }, 'votesLanded'],
    ['solana-validator-epochs', { effectiveness: '1.01' }, 'effectiveness'],
    ['solana-validator-epochs', { votingCommission: '1000000.1' }, 'votingCommission'],
    [
      'solana-validator-epochs',
      { activeStake: '10', votingRewards: '1.1', votingCommission: '0' },
      'votingRewards',
    ],
    ['solana-validator-epochs', { proposalRewards: '0.1234567891' }, 'proposalRewards'],
    ['solana-stake-authority-epochs', { stakeAuthority: 'x' }, 'stakeAuthority'],
    ['solana-stake-authority-epochs', { mevRewards: '-1' }, 'mevRewards'],
    ['solana-stake-authority-epochs', { delegatedStake: '0', stakingRewards: '0.1' }, 'stakingRewards'],
  ] as const)('an import of %s refuses %j', async (resource, change, field) => {
    const [told] = fc.sample(story, 1) as [Story];
    const rows = {
      'solana-epochs': told.epochs,
      'solana-validator-epochs': told.validators,
      'solana-stake-authority-epochs': told.authorities,
    };
    await expect(load(gateway, resource, [{ ...rows[resource][0], ...change }])).rejects.toThrow(
      `"field":"${field}"`,
    );
  });
});
