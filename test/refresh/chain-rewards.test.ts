import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { load, published, refreshed, revisions, syncDay, validator, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({
    text: `truncate validator_days, validator_day_dates, validators, blocks, chain_balances, chain_daily_rewards, datasets cascade`,
    values: [],
  }),
);

const only = { only: ['chain-daily-rewards'] as const, networks: ['mainnet'] as const };
const DAY = 1_500;
const ETH = 1_000_000_000;
/** Half a day, of a validator that leaves or comes at noon. */
const half = (index: number, first: boolean, change: object = {}) => {
  const [startEpoch, endEpoch] = first ? [DAY * 225, DAY * 225 + 99] : [DAY * 225 + 125, DAY * 225 + 224];
  const counts = { totalUniqueAttestations: 100, sumCorrectHead: 100, sumCorrectTarget: 100 };
  const more = { sumCorrectSource: 100, sumInclusionDelay: 100 };
  return validatorDay(index, DAY, { startEpoch, endEpoch, ...counts, ...more, ...change });
};
const everyone = [
  validator(0),
  validator(1, { exitEpoch: DAY * 225 + 100 }),
  validator(2, { activationEpoch: DAY * 225 + 125 }),
  validator(3, { exitEpoch: DAY * 225 }), // before, and still in the sync committee
  validator(4, { activationEpoch: (DAY + 1) * 225 }), // later
];
const days = [
  validatorDay(0, DAY, {
    ...{ sumAttestationRewards: 3_000_000, sumProposerRewards: 40_000_000, sumPriorityFees: 7_000_000 },
    sumBaselineMev: 2_000_000,
  }),
  half(1, true, { sumAttestationRewards: -500_000, endEpochEffectiveBalance: 33 * ETH }),
  half(2, false, { sumAttestationRewards: 1_000_000, endEpochEffectiveBalance: 64 * ETH }),
  syncDay(3, DAY, { sumSyncCommitteeRewards: 150_000, endEpochEffectiveBalance: 32 * ETH }),
];
const facts = async (validators: object[] = everyone, rows: object[] = days) => {
  await load(gateway, 'validators', validators);
  await load(gateway, 'validator-days', rows);
};
const stored = async (day = DAY) => (await gateway.get(`/v0/eth/network/chainDailyRewards/${day}`)).json;
const consensus = 3_000_000 + 40_000_000 - 500_000 + 1_000_000 + 150_000;
const given = {
  ...{
    day: DAY,
    sumConsensusRewards: 1,
    sumExecutionRewards: '2.5',
    sumPriorityFees: '2',
    sumBaselineMev: '0.5',
  },
  sumEffectiveBalance: 3,
};

describe('chain daily rewards of a refresh', () => {
  it('are the sums over all validators of the day, on both APIs', async () => {
    await facts();
    expect(await refreshed(gateway, only)).toMatchObject([{ state: 'done', rows: 1, inserted: 1, days: 1 }]);
    expect(await stored()).toMatchObject({
      sumConsensusRewards: consensus,
      sumExecutionRewards: 9_000_000,
      sumPriorityFees: 7_000_000,
      sumBaselineMev: 2_000_000,
      sumEffectiveBalance: 96 * ETH, // of the validators that were active in the last epoch
    });
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(
      `{ chainDailyReward(day: ${DAY}) { sumConsensusRewards sumExecutionRewards sumEffectiveBalance } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.chainDailyReward).toEqual({
      sumConsensusRewards: String(consensus),
      sumExecutionRewards: '9000000',
      sumEffectiveBalance: String(96 * ETH),
    });
    expect(gateway.statements).toHaveLength(1);
  });

  it('change nothing the second time, and are corrected when days of validators are', async () => {
    await facts();
    await refreshed(gateway, only);
    const [rows, raised] = [await published(gateway), await revisions(gateway)];
    expect(await refreshed(gateway, only)).toMatchObject([{ state: 'done', rows: 0, days: 0 }]);
    const again = { rows: 1, inserted: 0, updated: 0, removed: 0 };
    expect(await refreshed(gateway, { ...only, allDays: true })).toMatchObject([again]);
    expect([await published(gateway), await revisions(gateway)]).toEqual([rows, raised]);
    await load(gateway, 'validator-days', [{ ...days[1], sumAttestationRewards: 0 }]);
    expect(await refreshed(gateway, only)).toMatchObject([{ rows: 1, updated: 1 }]);
    expect(await stored()).toMatchObject({ sumConsensusRewards: consensus + 500_000 });
  });

  it('have the effective balance of the chain where that of the last epoch is stored', async () => {
    await facts();
    await load(gateway, 'chain-balances', [
      { epoch: DAY * 225 + 224, totalActiveBalance: 90 * ETH },
      { epoch: DAY * 225 + 223, totalActiveBalance: 80 * ETH },
    ]);
    await refreshed(gateway, only);
    expect(await stored()).toMatchObject({ sumEffectiveBalance: 90 * ETH });
  });

  it('are there when more than 41 million ETH are staked, whose sum over the epochs of a day 64 bits do not hold', async () => {
    const [indices, each] = [Array.from({ length: 200 }, (_, index) => index), 250_000 * ETH];
    const staked = 200 * each;
    await facts(
      indices.map((index) => validator(index)),
      indices.map((index) =>
        validatorDay(index, DAY, { endEpochBalance: each, endEpochEffectiveBalance: each }),
      ),
    );
    const parts = ['chain-daily-rewards', 'attestations'] as const;
    const done = { state: 'done', rows: expect.any(Number) };
    expect(await refreshed(gateway, { ...only, only: parts })).toMatchObject([
      done,
      done,
      { state: 'no facts' },
    ]);
    const { rows } = await gateway.database.pool.query({
      text: `select effective_balance_epochs::text as chain, (select max(apr_stake)::text from attestation_days) as days
        from chain_daily_rewards`,
      values: [],
    });
    const sum = String(225n * BigInt(staked));
    expect(rows).toEqual([{ chain: sum, days: sum }]);
    expect(await stored()).toMatchObject({ sumEffectiveBalance: staked });
    await load(gateway, 'chain-daily-rewards', [
      { ...given, sumEffectiveBalance: staked, effectiveBalanceEpochs: sum },
    ]);
    expect(await stored()).toMatchObject({ sumConsensusRewards: 1 });
  });

  slow(
    'have the execution rewards of blocks where every slot of the day is stored with what its proposer got',
    async () => {
      const slot = (at: number, more: object = {}) => {
        const consensusSlot = DAY * 7_200 + at;
        const root = `0x${consensusSlot.toString(16).padStart(64, '0')}`;
        const proposed = { consensusProposerDuty: 'proposed', consensusBlockRoot: root };
        return {
          consensusSlot,
          validatorIndex: 0,
          relays: [],
          blockBuilderPubkeys: [],
          ...proposed,
          ...more,
        };
      };
      const paid = { executionRewards: '1.5', totalPriorityFeesValidator: '1', baselineMev: '0.5' };
      const missed = { consensusProposerDuty: 'missed', consensusBlockRoot: null };
      await load(gateway, 'blocks', [
        slot(0, missed),
        ...Array.from({ length: 7_198 }, (_, at) => slot(at + 1, paid)),
        slot(7_200, paid), // of the next day
      ]);
      await facts();
      await refreshed(gateway, only);
      expect(await stored()).toMatchObject({ sumExecutionRewards: 9_000_000 }); // a slot is missing
      await load(gateway, 'blocks', [slot(7_199)]);
      await refreshed(gateway, { ...only, allDays: true });
      expect(await stored()).toMatchObject({ sumExecutionRewards: 9_000_000 }); // its rewards are not known
      await load(gateway, 'blocks', [slot(7_199, paid)]);
      expect(await refreshed(gateway, { ...only, allDays: true })).toMatchObject([{ updated: 1 }]);
      expect(await stored()).toMatchObject({
        sumConsensusRewards: consensus,
        sumExecutionRewards: 7_199 * 1.5,
        sumPriorityFees: 7_199,
        sumBaselineMev: 7_199 / 2,
      });
    },
  );

  it('leave imported days as they are, and become imported ones by an import', async () => {
    await facts();
    await refreshed(gateway, only);
    await load(gateway, 'chain-daily-rewards', [given]);
    await load(gateway, 'validator-days', [{ ...days[1], sumAttestationRewards: 0 }]);
    await refreshed(gateway, { ...only, allDays: true });
    expect(await stored()).toMatchObject({ sumConsensusRewards: 1, sumExecutionRewards: 2.5 });
  });

  it.each<[string, object[], object[]]>([
    ['an index is missing', everyone.filter((one) => one.validatorIndex !== 3), days],
    ['one that was active has no day', everyone, days.slice(1)],
    [
      'one that was active for a part of it has none',
      everyone,
      days.filter((one) => one.validatorIndex !== 1),
    ],
    ['one that was active has sync duty alone', everyone, [...days.slice(1), syncDay(0, DAY)]],
    ['a validator with a day is not stored', everyone, [...days, validatorDay(9, DAY)]],
    ['a validator with a day was not active yet', everyone, [...days, validatorDay(4, DAY)]],
    ['its end is not there yet', [validator(0)], [half(0, true)]],
    ['its beginning is not there', [validator(0)], [half(0, false)]],
  ])('are not told of a day where %s', async (_what, validators, rows) => {
    await facts(validators, rows);
    await refreshed(gateway, only);
    expect((await gateway.get('/v0/eth/network/chainDailyRewards')).json.data).toEqual([]);
  });

  it('come with what was missing of a day', async () => {
    await facts(everyone.slice(1), days);
    expect(await refreshed(gateway, only)).toMatchObject([{ state: 'no facts' }]);
    await facts(everyone.slice(0, 1), []);
    await refreshed(gateway, only);
    expect(await stored()).toMatchObject({ sumConsensusRewards: consensus });
  });
});
