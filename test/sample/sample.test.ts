import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { chainDayOfEpoch } from '../../src/chain/calendar.ts';
import { electraEpoch } from '../../src/chain/churn.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import { readSettings } from '../../src/config/index.ts';
import { Block } from '../../src/resources/blocks/record.ts';
import { definitions, rewardRecord } from '../../src/resources/network-rewards/record.ts';
import { type IdType, OperatorSummary } from '../../src/resources/operators/record.ts';
import { Slashing } from '../../src/resources/slashings/record.ts';
import { dayBefore, networks, sampleUntil } from '../../src/sample/chain.ts';
import type { SampleOperator } from '../../src/sample/index.ts';
import {
  headEpoch,
  sampleBlocks,
  sampleConsolidations,
  sampleDailyRewards,
  sampleNetworkRewards,
  sampleOperators,
  sampleSlashings,
  sampleSolanaOverviews,
  sampleStakeAuthorities,
  sampleSyncCommitteeRewards,
  sampleValidators,
} from '../support/sample.ts';

const operatorsOf = new Map([1, 2, 3].map((seed) => [seed, [...sampleOperators(seed)]]));
const operators = operatorsOf.get(1) as SampleOperator[]; // the seed unless another is given
const slashings = [...sampleSlashings()];
const validators = [...sampleValidators()];
const lists = networks.flatMap((network) =>
  TimeWindow.options.map((timeWindow) => ({ network, timeWindow })),
);
const large = { pool: 40, nodeOperator: 200, poolShare: 300, depositAddress: 400, withdrawalAddress: 160 };
const small = { pool: 12, nodeOperator: 40, poolShare: 32, depositAddress: 80, withdrawalAddress: 40 };
const counts = { mainnet: large, hoodi: small, holesky: small };
const classes = Object.keys(large) as (keyof typeof large)[];

function groupBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const byList = groupBy(operators, (row) => `${row.network}/${row.timeWindow}/${row.idType}`);
const rowsOf = ({ network, timeWindow }: (typeof lists)[number], idType: IdType): SampleOperator[] =>
  byList.get(`${network}/${timeWindow}/${idType}`) ?? [];
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const sumGwei = (digits: readonly (string | null)[]): bigint =>
  digits.reduce((all, one) => all + BigInt(one ?? 0), 0n);

function digest(rows: Iterable<object>): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(JSON.stringify(row));
  return hash.digest('hex');
}

describe('a seed', () => {
  const digestOfOperators = digest(operators);

  test('gives the same rows again', () => {
    expect(digest(sampleOperators())).toBe(digestOfOperators);
    expect(digest(sampleSlashings())).toBe(digest(slashings));
  });

  test('gives other rows than another seed, and as many', () => {
    const others = operatorsOf.get(2) as SampleOperator[];
    expect(others).toHaveLength(operators.length);
    expect(digest(others)).not.toBe(digestOfOperators);
    expect(digest(sampleSlashings(7))).not.toBe(digest(slashings));
  });
});

describe.each([1, 2, 3])('the operators of seed %i', (seed) => {
  test('fit the record', () => {
    const rows = operatorsOf.get(seed) as SampleOperator[];
    const faults = rows.filter((row) => !OperatorSummary.safeParse(row).success);
    expect(faults).toEqual([]);
  });

  test('have shares that add up to 1', () => {
    const off = (operatorsOf.get(seed) as SampleOperator[])
      .flatMap((row) => [row.clientPercentages, row.relayerPercentages])
      .filter((list) => list.length > 0 && Math.abs(sum(list.map((each) => each.percentage)) - 1) > 1e-12);
    expect(off).toEqual([]);
  });
});

describe.each(lists)('the operators of $network, $timeWindow', (list) => {
  test.each(classes)('%s: the count, each id once, under the whole network', (idType) => {
    const rows = rowsOf(list, idType);
    expect(rows).toHaveLength(counts[list.network][idType]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(sum(rows.map((row) => row.networkPenetration ?? 0))).toBeLessThan(0.9);
    // The operator at every fiftieth place, whose balances are not known.
    expect(rows.some((row) => row.networkPenetration === null)).toBe(
      rows.length > 33 || idType === 'poolShare',
    );
  });

  test('addresses are 20 bytes of lower-case hex, and names read as names', () => {
    for (const idType of classes) {
      const pattern = idType.endsWith('Address') ? /^0x[0-9a-f]{40}$/ : /^(?!sample)\S.*\S$/i;
      expect(rowsOf(list, idType).filter((row) => !pattern.test(row.id))).toEqual([]);
    }
    const addresses = [...rowsOf(list, 'depositAddress'), ...rowsOf(list, 'withdrawalAddress')];
    expect(new Set(addresses.map((row) => row.id)).size).toBe(addresses.length);
  });

  test('pool shares have parents that exist and add up to no more than their pool', () => {
    const pools = new Map(rowsOf(list, 'pool').map((row) => [row.id, row]));
    const nodeOperators = new Map(rowsOf(list, 'nodeOperator').map((row) => [row.id, row]));
    for (const [poolId, shares] of groupBy(rowsOf(list, 'poolShare'), (row) => row.poolId ?? '')) {
      const pool = pools.get(poolId);
      expect(pool).toBeDefined();
      expect(sum(shares.map((row) => row.validatorCount))).toBeLessThanOrEqual(pool?.validatorCount ?? 0);
      expect(sumGwei(shares.map((row) => row.sumEndEpochBalance))).toBeLessThanOrEqual(
        BigInt(pool?.sumEndEpochBalance ?? 0),
      );
      expect(pool?.nodeOperatorCount).toBeLessThanOrEqual(shares.length);
      for (const share of shares) {
        const operator = nodeOperators.get(share.nodeOperatorId ?? '');
        expect(share.id).toBe(`${poolId} - ${operator?.id}`);
        expect(share.validatorCount).toBeLessThanOrEqual(operator?.validatorCount ?? 0);
      }
    }
  });

  test.each(classes)('%s: some tie on penetration and validators', (idType) => {
    if (rowsOf(list, idType).length < 16) return; // every sixteenth is like the one before
    const known = rowsOf(list, idType).filter((row) => row.networkPenetration && row.validatorCount);
    const places = new Set(known.map((row) => `${row.networkPenetration}/${row.validatorCount}`));
    expect(places.size).toBeLessThan(known.length);
  });
});

describe('the figures', () => {
  test('only pools have a node operator count and tags of pools', () => {
    expect(operators.filter((row) => row.idType !== 'pool' && row.nodeOperatorCount !== null)).toEqual([]);
    const tagged = operators.filter((row) => row.operatorTags.some((tag) => tag.name === 'pool'));
    expect(tagged).toEqual(operators.filter((row) => row.idType === 'pool'));
    const tags = operators.flatMap((row) => row.operatorTags);
    expect(tags.map((tag) => tag.name)).toEqual(expect.arrayContaining(['exchange', 'liquid staking']));
    expect(tags.some((tag) => tag.path !== null)).toBe(true);
  });

  test('those that have left have no validators, no duties and no attestations', () => {
    const left = operators.filter((row) => row.validatorCount === 0);
    expect(left.length).toBeGreaterThan(0);
    for (const row of left) expect(row).toMatchObject({ avgInclusionDelay: null, avgUptime: 0 });
    expect(operators.filter((row) => row.validatorCount > 0 && row.avgInclusionDelay === null)).toEqual([]);
  });

  test('balances are those of the validators', () => {
    const unlike = operators.filter((row) => {
      const { sumEndEpochBalance: all, sumEndEpochEffectiveBalance: effective } = row;
      if (all === null || effective === null) return all !== effective || row.networkPenetration !== null;
      const least = BigInt(row.validatorCount) * 32_000_000_000n;
      const fits = BigInt(effective) >= least && BigInt(effective) <= least * 64n;
      return !fits || BigInt(all) < BigInt(effective) || row.networkPenetration === null;
    });
    expect(unlike).toEqual([]);
  });

  test.each(TimeWindow.options)(
    'the largest balance of mainnet is not one a double can hold: %s',
    (timeWindow) => {
      const [largest] = rowsOf({ network: 'mainnet', timeWindow }, 'pool')
        .map((row) => row.sumEndEpochBalance ?? '0')
        .sort((a, b) => Number(BigInt(b) - BigInt(a)));
      expect(BigInt(largest ?? 0)).toBeGreaterThan(2n ** 53n);
      expect(BigInt(Number(largest))).not.toBe(BigInt(largest ?? 0));
    },
  );

  test('every operator has all windows, which differ and end with the same validators', () => {
    const entities = groupBy(operators, (row) => `${row.network}/${row.idType}/${row.id}`);
    for (const rows of entities.values()) {
      expect(rows.map((row) => row.timeWindow)).toEqual(TimeWindow.options);
      expect(new Set(rows.map((row) => row.validatorCount)).size).toBe(1);
    }
    const [first] = [...entities.values()];
    expect(new Set(first?.map((row) => row.avgValidatorEffectiveness)).size).toBe(4);
  });

  test('effectiveness follows from the duties: fewer of them, later or more wrong votes mean less', () => {
    for (const row of operators) {
      if (row.validatorCount === 0) continue;
      const attester = (100 * row.avgUptime * row.avgCorrectness) / (row.avgInclusionDelay ?? 1);
      // proposals weigh 3/8 for those who had one, and most had none
      expect(Math.abs(row.avgValidatorEffectiveness - attester)).toBeLessThan(
        row.validatorCount > 500 ? 2 : 40,
      );
      expect(row.avgInclusionDelay).toBeGreaterThanOrEqual(1);
      expect(row.avgUptime).toBeGreaterThan(row.timeWindow === '1d' ? 0.5 : 0.85);
    }
  });

  const known = operators.filter((row) => row.aprPercentage !== null && row.network === 'mainnet');
  test('an operator that is large enough to have average luck earns 2.5 to 3.4 % a year', () => {
    const large = known.filter((row) => row.validatorCount >= 1_000 && row.timeWindow !== '1d');
    const off = large.filter(({ aprPercentage: apr }) => apr !== null && (apr < 2.5 || apr > 3.4));
    expect(off.map(({ id, aprPercentage, timeWindow }) => ({ id, aprPercentage, timeWindow }))).toEqual([]);
    const mean = sum(large.map((row) => row.aprPercentage ?? 0)) / large.length;
    expect(mean).toBeGreaterThan(2.7);
    expect(mean).toBeLessThan(3.2);
  });

  test('a small one may have a large block, but nobody loses money or doubles it', () => {
    expect(known.filter(({ aprPercentage: apr }) => apr !== null && (apr < -20 || apr > 60))).toEqual([]);
  });

  test('those who miss more earn less', () => {
    const month = known.filter((row) => row.timeWindow === '30d' && row.validatorCount >= 1_000);
    const byUptime = month.toSorted((a, b) => a.avgUptime - b.avgUptime);
    const third = Math.floor(byUptime.length / 3);
    const apr = (rows: typeof month) => sum(rows.map((row) => row.aprPercentage ?? 0)) / rows.length;
    expect(apr(byUptime.slice(0, third))).toBeLessThan(apr(byUptime.slice(-third)));
  });

  test('consolidated operators have validators of more than 32 ETH', () => {
    const each = operators.map((row) => Number(row.sumEndEpochEffectiveBalance) / 1e9 / row.validatorCount);
    expect(each.some((eth) => eth > 33 && eth < 64)).toBe(true);
  });
});

describe('the slashings', () => {
  const bySize = networks.map((network) => slashings.filter((row) => row.network === network).length);

  test('are as many as planned, and fit the record', () => {
    expect(bySize).toEqual([400, 20, 30]);
    expect(slashings.filter((row) => !Slashing.safeParse(row).success)).toEqual([]);
  });

  test('cost what the balance lost', () => {
    for (const row of slashings) {
      const lost = BigInt(row.balanceBeforeSlashing) - BigInt(row.balanceBeforeWithdrawal);
      expect(row.slashingPenalties).toBe(lost.toString());
      expect(lost).toBeGreaterThan(0n);
    }
  });

  test.each(networks)('name each validator of %s once', (network) => {
    const rows = slashings.filter((row) => row.network === network);
    expect(new Set(rows.map((row) => row.validatorIndex)).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.validatorPubkey)).size).toBe(rows.length);
  });

  test('are withdrawable 8192 epochs later or more, some not yet', () => {
    const waits = slashings.map((row) => row.withdrawableEpoch - row.slashingEpoch);
    expect(Math.min(...waits)).toBe(8_192);
    expect(waits.filter((wait) => wait > 8_192).length).toBeGreaterThan(5);
    expect(Math.max(...slashings.map((row) => row.slashingEpoch - headEpoch[row.network]))).toBeLessThan(0);
    for (const network of networks) {
      const rows = slashings.filter((row) => row.network === network);
      expect(rows.some((row) => row.withdrawableEpoch > headEpoch[network])).toBe(true);
    }
  });

  test('come alone, several on one day, and many in one epoch; some are of 2048 ETH', () => {
    const mainnet = slashings.filter((row) => row.network === 'mainnet');
    const epochs = [...groupBy(mainnet, (row) => row.slashingEpoch).values()].map((rows) => rows.length);
    expect(Math.max(...epochs)).toBeGreaterThan(10);
    expect(epochs.filter((size) => size === 1).length).toBeGreaterThan(100);
    const days = groupBy(mainnet, (row) => chainDayOfEpoch(row.slashingEpoch)).values();
    const spread = [...days].some((rows) => new Set(rows.map((row) => row.slashingEpoch)).size > 3);
    expect(spread).toBe(true);
    const recent = mainnet.filter((row) => row.slashingEpoch > headEpoch.mainnet - 30 * 225);
    expect([recent.length > 2, recent.length < 12]).toEqual([true, true]);
    expect(slashings.some((row) => row.balanceBeforeSlashing.startsWith('2048'))).toBe(true);
  });
});

describe('the blocks', () => {
  const blocks = [...sampleBlocks(validators)];
  const Stored = Block.omit({ epoch: true, blockTimestamp: true });
  const total = (...parts: (string | null)[]) =>
    parts.reduce((all, digits) => all + BigInt(digits ?? 0), 0n).toString();

  test('are the same for the same seed, others for another', () => {
    expect(digest(sampleBlocks(validators))).toBe(digest(blocks));
    expect(digest(sampleBlocks(validators, 7))).not.toBe(digest(blocks));
  });

  test.each(networks)('fit the record and are every slot of %s up to the head', (network) => {
    const rows = blocks.filter((row) => row.network === network);
    expect(rows.filter((row) => !Stored.safeParse(row).success)).toEqual([]);
    const head = headEpoch[network] * 32;
    expect(rows.map((row) => row.consensusSlot)).toEqual(rows.map((_, index) => head - rows.length + index));
  });

  test('have blocks where the sync committee was rewarded, and some missed and orphaned slots', () => {
    const duties = new Map(
      blocks.map((row) => [`${row.network}:${row.consensusSlot}`, row.consensusProposerDuty]),
    );
    for (const { network, consensusSlot } of sampleSyncCommitteeRewards(validators))
      expect(duties.get(`${network}:${consensusSlot}`)).toBe('proposed');
    const mainnet = blocks.filter((row) => row.network === 'mainnet').map((row) => row.consensusProposerDuty);
    expect(mainnet.filter((duty) => duty === 'missed').length).toBeGreaterThan(5);
    expect(mainnet).toContain('orphaned');
  });

  test('are proposed by active validators, through relays or without', () => {
    const known = new Map(validators.map((row) => [`${row.network}:${row.validatorIndex}`, row]));
    for (const { network, validatorIndex, relays, blockBuilderPubkeys } of blocks) {
      const proposer = known.get(`${network}:${validatorIndex}`);
      expect(proposer?.activationEpoch).toBeLessThan(headEpoch[network]);
      expect(proposer?.exitEpoch ?? Infinity).toBeGreaterThan(headEpoch[network]);
      expect(blockBuilderPubkeys.length).toBe(relays.length);
    }
    const withRelays = blocks.filter((row) => row.relays.length > 0).length;
    expect(withRelays).toBeGreaterThan(blocks.length / 2);
    expect(withRelays).toBeLessThan(blocks.length * 0.97);
  });

  test('have sums that add up, and wei that no double holds', () => {
    for (const row of blocks) {
      expect(row.totalRewards).toBe(total(row.executionRewards, row.consensusRewards));
      expect(row.totalRewardsMissed).toBe(total(row.missedExecutionRewards, row.missedConsensusRewards));
      if (row.baseFeePerGas === null) continue;
      expect(row.totalBurntFees).toBe((BigInt(row.baseFeePerGas) * BigInt(row.totalGasUsed ?? 0)).toString());
      const fees = total(row.totalType0TxFees, row.totalType1TxFees, row.totalType2TxFees);
      expect(row.totalPriorityFees).toBe((BigInt(fees) / 1_000_000_000n).toString());
      const { totalType0Transactions: a, totalType1Transactions: b, totalType2Transactions: c } = row;
      expect((a ?? 0) + (b ?? 0) + (c ?? 0)).toBeLessThanOrEqual(row.totalTransactions ?? 0);
    }
    const burnt = blocks.map((row) => row.totalBurntFees ?? '0');
    expect(burnt.some((digits) => BigInt(Number(digits)) !== BigInt(digits))).toBe(true);
  });
});

describe('the daily rewards', () => {
  const days = [...sampleDailyRewards()];

  test('are the same for the same seed, others for another', () => {
    expect(digest(sampleDailyRewards())).toBe(digest(days));
    expect(digest(sampleDailyRewards(7))).not.toBe(digest(days));
  });

  test.each(networks)('are those of every whole day of %s of the last two years', (network) => {
    const own = days.filter((row) => row.network === network).map((row) => row.day);
    const end = chainDayOfEpoch(headEpoch[network]);
    expect(own.length).toBe(Math.min(730, end));
    expect(own).toEqual(own.map((_, index) => end - own.length + index));
  });

  test('end with the chain day before the last, and are 2.5 to 3.4 % of the stake a year', () => {
    const mainnet = days.filter((row) => row.network === 'mainnet');
    expect(mainnet.at(-1)?.day).toBe(chainDayOfEpoch(headEpoch.mainnet) - 1);
    for (const row of mainnet.slice(-90)) {
      const rewards = Number(row.sumConsensusRewards) + Number(row.sumExecutionRewards);
      const percent = (36_500 * rewards) / Number(row.sumEffectiveBalance);
      expect([percent > 2.5, percent < 3.6]).toEqual([true, true]);
    }
  });

  test('have one day on which the chain did not reach finality, and earned much less', () => {
    const mainnet = days
      .filter((row) => row.network === 'mainnet')
      .map((row) => Number(row.sumConsensusRewards));
    const sorted = mainnet.toSorted((a, b) => a - b);
    expect((sorted[0] ?? 0) / (sorted[2] ?? 1)).toBeLessThan(0.7);
  });

  test('have fees and MEV that add up', () => {
    for (const row of days) {
      const sum = BigInt(row.sumPriorityFees) + BigInt(row.sumBaselineMev);
      expect(row.sumExecutionRewards).toBe(sum.toString());
      expect(Number(row.sumConsensusRewards)).toBeGreaterThan(0);
    }
  });
});

const networkRewards = [...sampleNetworkRewards()];
const [networkRewardsAgain, otherNetworkRewards] = [
  new Map(sampleNetworkRewards()),
  new Map(sampleNetworkRewards(7)),
];

describe.each(networkRewards)('the daily rewards of %s', (network, rewards) => {
  const rowsOf = (kind: string) => rewards.filter((made) => made.kind === kind).map(({ row }) => row);
  const { idField, exampleId, id } = definitions[network];
  /** An amount as a whole number of the smallest unit that any token has. */
  const units = (text: unknown) => {
    const [before = '', after = ''] = String(text).split('.');
    return BigInt(before + after.padEnd(18, '0'));
  };

  test('are the same for a seed, and others for another', () => {
    expect(networkRewardsAgain.get(network)).toEqual(rewards);
    expect(otherNetworkRewards.get(network)).not.toEqual(rewards);
  });

  test('are 90 days of the twelve largest validators, the first that of the examples, and of the network', () => {
    const ids = [...new Set(rowsOf('validator').map((row) => String(row[idField])))];
    expect([ids.length, ids[0]]).toEqual([12, exampleId]);
    expect(ids.map(id.read)).toEqual(ids);
    expect(rowsOf('validator')).toHaveLength(12 * 90);
    expect(rowsOf('network').at(-1)?.day).toBe('2025-10-31');
    expect(new Set(rowsOf('network').map((row) => row.day)).size).toBe(90);
  });

  test('fit their records', () => {
    const faults = rewards.filter(({ kind, row }) => !rewardRecord(network, kind).safeParse(row).success);
    expect(faults).toEqual([]);
  });

  test('of the validators are a part of those of the network, with digits that a double does not hold', () => {
    const totals = Object.keys(rowsOf('network')[0] ?? {}).filter((name) =>
      /^total.*(Rewards|Stake)$/.test(name),
    );
    for (const whole of rowsOf('network')) {
      const parts = rowsOf('validator').filter((row) => row.day === whole.day);
      for (const name of totals) {
        const sum = parts.reduce((all, row) => all + units(row[name]), 0n);
        expect(units(whole[name])).toBeGreaterThan(sum);
      }
    }
    if (network !== 'polygon') return; // its token has the most decimal places
    const amounts = rowsOf('validator').map((row) => String(row.totalStake));
    expect(amounts.filter((text) => String(Number(text)) === text)).toEqual([]);
  });
});

const yearly: Record<string, [least: number, most: number]> = {
  polkadot: [0.11, 0.12],
  polygon: [0.04, 0.05],
};
/** Yearly rewards, in its token, of each network whose rows have no stake. */
const earned: Record<string, [least: number, most: number]> = {
  avalanche: [13e6, 14.8e6], // 7 % of 196 million
  babylon: [185e6, 206e6], // 8.5 % of 2.3 billion
  cardano: [480e6, 520e6], // 2.3 % of 21.6 billion
  celestia: [22e6, 26e6], // 5.3 % of 452 million
  solana: [24e6, 30e6], // 6 to 7.4 % of 402 million
};

test.each(networkRewards)('a year of %s is worth its real yield', (network, rewards) => {
  const { sums } = definitions[network];
  const whole = rewards.filter(({ kind }) => kind === 'network').map(({ row }) => row);
  const names = [...sums.validatorRewards, ...sums.delegatorRewards];
  const total = sum(whole.flatMap((row) => names.map((name) => Number(row[name]))));
  const [least, most] = yearly[network] ?? (earned[network] as [number, number]);
  const stake = yearly[network] ? sum(whole.map((row) => Number(row.totalStake))) / whole.length : 1;
  const ofYear = ((total / whole.length) * 365) / stake;
  expect(ofYear).toBeGreaterThan(least);
  expect(ofYear).toBeLessThan(most);
  const stakes = rewards.filter(({ row }) => row.day === '2025-10-31' && row.totalStake !== undefined);
  if (network !== 'polygon') return;
  const [first = 0, , third = 0] = stakes
    .map(({ row }) => Number(row.totalStake))
    .sort((a, b) => b - a)
    .slice(1);
  expect(first).toBeGreaterThan(1.5 * third); // a power law
});

test('stake authorities of Solana earn 5 to 7.5 % a year, and less after higher commissions', () => {
  const rows = [...sampleStakeAuthorities()];
  const off = rows.filter((row) => Number(row.delegatorApy) < 0.05 || Number(row.delegatorApy) > 0.08);
  expect(off.map((row) => row.delegatorApy)).toEqual([]);
  const mean = (kept: typeof rows) => sum(kept.map((row) => Number(row.delegatorApy))) / kept.length;
  const isCheap = (row: (typeof rows)[number]) => Number(row.blendedVoteCommissionRate) < 0.04;
  expect(mean(rows.filter(isCheap))).toBeGreaterThan(mean(rows.filter((row) => !isCheap(row))));
  for (const row of sampleSolanaOverviews()) {
    expect(row.delegatorApy).toBeGreaterThan(0.06);
    expect(row.delegatorApy).toBeLessThan(0.075);
  }
});

test('consolidations come after Electra', () => {
  const rows = [...sampleConsolidations(validators)];
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row) => row.epoch < electraEpoch[row.network])).toEqual([]);
});

test('the last day is the day before today in UTC, unless given', () => {
  expect(dayBefore(new Date('2026-03-01T00:30:00Z'))).toBe('2026-02-28');
  expect([dayBefore(new Date()), dayBefore(new Date(Date.now() - 60_000))]).toContain(sampleUntil().lastDate);
});

test.each(['2025-10-30', '2999-01-01', '2025-11-31', '1 November 2025', 'yesterday'])(
  'SAMPLE_DATE refuses %j',
  (value) => {
    expect(() => readSettings({ SAMPLE_DATE: value })).toThrow(
      `SAMPLE_DATE is "${value}"; a date from 2025-10-31 to yesterday is needed`,
    );
    expect(readSettings({ SAMPLE_DATE: '2025-10-31' }).SAMPLE_DATE).toBe('2025-10-31');
  },
);

test('a later last day moves all days, epochs and slots with it', () => {
  const later = sampleUntil('2026-11-29');
  expect(later.head.mainnet - headEpoch.mainnet).toBe(394 * 225);
  expect(later.head.holesky).toBe(headEpoch.holesky);
});
