import { EPOCHS_PER_DAY, SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import { activeEth, type Network, type Sample } from './chain.ts';
import { countAround, drift, hashOf, noise, normal } from './random.ts';

/**
 * What the validators of an operator, or of a whole network, do. Time is counted in halves of chain days: on mainnet, each
 * UTC day consists of two of them, too, so that the figures of both calendars agree.
 */

const FIRST_HALF = 113;
export const halfOf = (epoch: number): number =>
  2 * Math.floor(epoch / EPOCHS_PER_DAY) + (epoch % EPOCHS_PER_DAY >= FIRST_HALF ? 1 : 0);
const firstEpochOfHalf = (half: number): number =>
  Math.floor(half / 2) * EPOCHS_PER_DAY + (half % 2) * FIRST_HALF;
const HOURS_OF_HALF = 12;

/** Shares are 0..1; `slow` is that of wrong head votes; `client` is the main consensus client. */
export type Entity = {
  network: Network;
  key: number;
  eth: number;
  ethEach: number;
  lapse: number;
  slow: number;
  /** How much its stake changes. */
  moves: number;
  client: string;
  isWhole?: boolean;
  /** True if the stake of the entity never changes. */
  isSteady?: boolean;
  /** Is down for some hours before the sample ends. */
  outage?: boolean;
};

/** Amounts are in Gwei. `stakeEpochs` is the effective balance, added up over epochs, in ETH. */
export type Figures = {
  validators: number;
  eth: number;
  duties: number;
  missed: number;
  wrongHead: number;
  wrongTarget: number;
  lateTarget: number;
  lateSource: number;
  delay: number;
  signatures: number;
  missedSignatures: number;
  seats: number;
  proposed: number;
  missedProposals: number;
  attestationRewards: number;
  syncRewards: number;
  proposerRewards: number;
  priorityFees: number;
  mev: number;
  stakeEpochs: number;
  epochs: number;
};

const OUTAGE_DAYS_AGO = 3;
const OUTAGE_HOURS = [2, 3, 4, 5, 6];
/** One client failed then, and with it finality, since a third of the network ran it. */
const LEAK_DAYS_AGO = 147;
const LEAKING_CLIENT = 'Prysm';
const LEAKING_SHARE = 0.38;

/** 1 is the stake at the end of the sample. */
const growth = (daysAgo: number): number => 1 - (0.2 * daysAgo) / 730;

/** ETH that is staked on a network. */
export function networkEth({ head }: Sample, network: Network, half: number): number {
  const daysAgo = Math.max(0, (halfOf(head[network]) - half) / 2);
  return Math.round(activeEth[network] * growth(daysAgo) * (1 + 0.002 * drift(hashOf(network), half, 30)));
}

/** Gwei for each ETH and epoch: get_base_reward_per_increment of the consensus specification. */
const baseReward = (eth: number): number => 64e9 / Math.floor(Math.sqrt(eth * 1e9));

/** Parts of 64. */
const weights = { source: 14, target: 26, head: 14, sync: 2, proposer: 8 };
const OF = 64;
const SEATS = 512;
const EPOCHS_PER_SYNC_PERIOD = 256;

const halvesAgo = (sample: Sample, network: Network, half: number): number =>
  halfOf(sample.head[network]) - 1 - half;
/** Chain finality fails in this half of a day. */
const isLeak = (sample: Sample, network: Network, half: number): boolean =>
  network === 'mainnet' && halvesAgo(sample, network, half) === 2 * LEAK_DAYS_AGO;
const isOutage = (sample: Sample, { network, outage }: Entity, half: number): boolean =>
  outage === true && halvesAgo(sample, network, half) === 2 * OUTAGE_DAYS_AGO;

/** Share of missed duties, 0..1. */
function missRate(sample: Sample, entity: Entity, half: number): number {
  const { network, key, lapse } = entity;
  const usual = lapse * (0.7 + 0.6 * noise(key, half)) * (noise(key, half, 1) < 0.02 ? 2.5 : 1);
  if (isLeak(sample, network, half)) {
    const faulty = entity.client === LEAKING_CLIENT ? 0.9 : 0.02;
    return usual + (entity.isWhole ? LEAKING_SHARE * 0.9 : faulty);
  }
  return isOutage(sample, entity, half) ? usual + (0.97 * OUTAGE_HOURS.length) / HOURS_OF_HALF : usual;
}

/** Signatures due in each slot, which the draw of a committee decides. */
function seatsOf({ key, isWhole }: Entity, share: number, epoch: number): number {
  if (isWhole) return SEATS;
  return Math.floor(SEATS * share + noise(key, Math.floor(epoch / EPOCHS_PER_SYNC_PERIOD), 2));
}

/** Sums of amounts that are mostly small and sometimes large. */
function skewedSum(count: number, key: number, half: number, { median, spread, salt }: Skew): number {
  if (count === 0) return 0;
  if (count > 40) {
    const mean = median * Math.exp((spread * spread) / 2);
    const deviation = Math.sqrt((Math.exp(spread * spread) - 1) / count);
    return Math.round(count * mean * Math.max(0.3, 1 + deviation * normal(key, half, salt)));
  }
  let sum = 0;
  for (let at = 0; at < count; at++) sum += median * Math.exp(spread * normal(key, half, salt + at * 7));
  return Math.round(sum);
}
type Skew = { median: number; spread: number; salt: number };

/** Gwei a block. */
export const FEES: Skew = { median: 6_500_000, spread: 0.8, salt: 1_000 };
export const MEV: Skew = { median: 11_000_000, spread: 1.25, salt: 2_000 };

/** Fees and MEV of a day, relative to others. */
export const market = (half: number): number =>
  Math.exp(0.3 * drift(7, half, 9) + 0.25 * drift(11, half, 60));

/** A block of the proposer, in Gwei, without fees. */
export const proposerReward = (eth: number, participation: number): number =>
  ((baseReward(eth) * eth * weights.proposer) / OF / SLOTS_PER_EPOCH) * participation;

/** A signature of a sync committee, in Gwei. */
const signatureReward = (eth: number): number =>
  (baseReward(eth) * eth * weights.sync) / OF / SLOTS_PER_EPOCH / SEATS;

/** Since Electra, operators merge their validators into larger ones. */
function ethEachAt(sample: Sample, { network, ethEach, isSteady }: Entity, half: number): number {
  if (isSteady) return ethEach;
  const since = half - halfOf(electraEpoch[network]);
  const all = halfOf(sample.head[network]) - halfOf(electraEpoch[network]);
  return since <= 0 ? 32 : 32 + (ethEach - 32) * Math.min(1, since / Math.max(1, all - 60));
}

function stakeAt(sample: Sample, entity: Entity, half: number): number {
  const { network, key, eth, moves, isWhole, isSteady } = entity;
  if (isSteady) return eth;
  if (isWhole) return networkEth(sample, network, half);
  const day = Math.floor(half / 2);
  const end = Math.floor(halfOf(sample.head[network]) / 2);
  const drifted =
    1 + moves * (drift(key, day, 45, 3) - drift(key, end, 45, 3)) + 0.004 * (noise(key, day, 4) - 0.5);
  return eth * growth(end - day) * Math.max(0.3, drifted);
}

/** Participation of the whole network, 0..1. */
const participation = (sample: Sample, network: Network, half: number): number =>
  isLeak(sample, network, half) ? 0.65 : 0.994 - 0.003 * noise(hashOf(network), half, 5);

export function figuresOfHalf(sample: Sample, entity: Entity, half: number): Figures {
  const { network, key, slow } = entity;
  const first = firstEpochOfHalf(half);
  const epochs = firstEpochOfHalf(half + 1) - first;
  const isLast = half >= halfOf(sample.head[network]) - 2;
  const whole = networkEth(sample, network, half);
  const ethEach = ethEachAt(sample, entity, half);
  const staked = isLast ? entity.eth : stakeAt(sample, entity, half);
  const validators = Math.round(staked / ethEach);
  const eth = isLast ? entity.eth : Math.round(validators * ethEach);
  const rate = validators === 0 ? 0 : Math.min(0.99, missRate(sample, entity, half));
  const duties = validators * epochs;
  const missed = Math.min(duties, Math.floor(duties * rate + noise(key, half, 6)));
  const attested = duties - missed;
  const part = (share: number, salt: number) =>
    Math.min(attested, Math.floor(attested * share + noise(key, half, salt)));
  const wrongHead = part(slow * (0.8 + 0.4 * noise(key, half, 7)) + rate * 0.05, 8);
  const wrongTarget = Math.min(wrongHead, part(slow * 0.08 + rate * 0.02, 9));
  const lateTarget = Math.floor(wrongTarget / 3);
  const lateSource = Math.floor(wrongTarget / 5);
  const seats = validators === 0 ? 0 : seatsOf(entity, eth / whole, first);
  const signatures = seats * epochs * SLOTS_PER_EPOCH;
  const missedSignatures = Math.min(signatures, Math.floor(signatures * rate * 1.1 + noise(key, half, 10)));
  const due = entity.isWhole
    ? epochs * SLOTS_PER_EPOCH
    : countAround((epochs * SLOTS_PER_EPOCH * eth) / whole, key, half, 11);
  const missedProposals = Math.min(due, countAround(due * (0.002 + rate * 0.8), key, half, 12));
  const proposed = due - missedProposals;
  const taking = participation(sample, network, half);
  const reward = (eth / Math.max(1, validators)) * baseReward(whole);
  const earned = isLeak(sample, network, half) ? 0 : (reward * taking) / OF;
  const lost = reward / OF;
  const worth = market(half);
  return {
    validators,
    eth,
    duties,
    missed,
    wrongHead,
    wrongTarget,
    lateTarget,
    lateSource,
    delay: attested + Math.round(attested * (0.004 + slow * 1.2 + rate * 0.3)),
    seats,
    signatures: signatures - missedSignatures,
    missedSignatures,
    proposed,
    missedProposals,
    attestationRewards: Math.round(
      earned *
        (weights.source * (attested - lateSource) +
          weights.target * (attested - wrongTarget) +
          weights.head * (attested - wrongHead)) -
        lost * (weights.source * (missed + lateSource) + weights.target * (missed + wrongTarget)),
    ),
    syncRewards: Math.round(signatureReward(whole) * (signatures - 2 * missedSignatures)),
    proposerRewards: Math.round(proposed * proposerReward(whole, taking)),
    priorityFees: Math.round(worth * skewedSum(proposed, key, half, FEES)),
    mev: Math.round(worth * skewedSum(proposed, key, half, MEV)),
    stakeEpochs: eth * epochs,
    epochs,
  };
}

/** In order of time. Written out, because a loop over names takes ten times as long. */
export function sumOf(parts: readonly Figures[]): Figures {
  const sum = { ...(parts.at(-1) as Figures) };
  for (let at = 0; at < parts.length - 1; at++) {
    const part = parts[at] as Figures;
    sum.seats = Math.max(sum.seats, part.seats);
    sum.duties += part.duties;
    sum.missed += part.missed;
    sum.wrongHead += part.wrongHead;
    sum.wrongTarget += part.wrongTarget;
    sum.lateTarget += part.lateTarget;
    sum.lateSource += part.lateSource;
    sum.delay += part.delay;
    sum.signatures += part.signatures;
    sum.missedSignatures += part.missedSignatures;
    sum.proposed += part.proposed;
    sum.missedProposals += part.missedProposals;
    sum.attestationRewards += part.attestationRewards;
    sum.syncRewards += part.syncRewards;
    sum.proposerRewards += part.proposerRewards;
    sum.priorityFees += part.priorityFees;
    sum.mev += part.mev;
    sum.stakeEpochs += part.stakeEpochs;
    sum.epochs += part.epochs;
  }
  return sum;
}

/** Splits what was counted in half a day into its hours, which add up to it. Proposals and rewards have no hours. */
export function hoursOfHalf(
  sample: Sample,
  entity: Entity,
  half: number,
  { of, epochs }: { of: Figures; epochs: readonly number[] },
): Figures[] {
  const out = isOutage(sample, entity, half);
  const missWeights = epochs.map((count, hour) => {
    const usual = 0.6 + 0.8 * noise(entity.key, half * HOURS_OF_HALF + hour, 13);
    return count * (out && OUTAGE_HOURS.includes(hour) ? 0.95 : usual * (out ? 0.005 : 1));
  });
  const missed = split(of.missed, missWeights);
  const duties = epochs.map((count) => of.validators * count);
  const attested = duties.map((count, hour) => count - (missed[hour] as number));
  const parts = {
    wrongHead: split(of.wrongHead, attested),
    wrongTarget: split(of.wrongTarget, attested),
    lateTarget: split(of.lateTarget, attested),
    lateSource: split(of.lateSource, attested),
    extra: split(of.delay - (of.duties - of.missed), attested),
    missedSignatures: split(of.missedSignatures, missWeights),
  };
  return epochs.map((count, hour) => {
    const at = (name: keyof typeof parts) => parts[name][hour] as number;
    const signatures = of.seats * count * SLOTS_PER_EPOCH - at('missedSignatures');
    return {
      ...of,
      duties: duties[hour] as number,
      missed: missed[hour] as number,
      wrongHead: at('wrongHead'),
      wrongTarget: at('wrongTarget'),
      lateTarget: at('lateTarget'),
      lateSource: at('lateSource'),
      delay: (attested[hour] as number) + at('extra'),
      signatures,
      missedSignatures: at('missedSignatures'),
      epochs: count,
    };
  });
}

function split(total: number, parts: readonly number[]): number[] {
  const sum = parts.reduce((all, part) => all + part, 0);
  let before = 0;
  let taken = 0;
  return parts.map((part) => {
    before += part;
    const until = sum === 0 ? 0 : Math.round((total * before) / sum);
    const own = until - taken;
    taken = until;
    return own;
  });
}

/** Means by the formulas of docs/data-model.md; `delay` is null if all attestations were missed. */
export function meansOf({ duties, missed, wrongHead, wrongTarget, lateSource, delay, ...of }: Figures) {
  const attested = duties - missed;
  const uptime = duties === 0 ? 0 : attested / duties;
  const correctness =
    attested === 0 ? 0 : (3 * attested - wrongHead - wrongTarget - lateSource) / (3 * attested);
  const inclusion = attested === 0 ? null : delay / attested;
  const attester = inclusion === null ? 0 : (100 * uptime * correctness) / inclusion;
  const proposals = of.proposed + of.missedProposals;
  const proposers = Math.min(of.validators, proposals);
  const proposer = proposals === 0 ? 0 : (100 * of.proposed) / proposals;
  /** Added up over the validators. */
  const proposerSum = proposers * proposer;
  const validatorSum = of.validators * attester + 0.375 * (proposerSum - proposers * attester);
  return { uptime, correctness, inclusion, attester, proposers, proposerSum, validatorSum };
}

export const rewardsOf = (of: Figures): number =>
  of.attestationRewards + of.syncRewards + of.proposerRewards + of.priorityFees + of.mev;

/** In percent; null without stake. */
export const aprOf = (of: Figures): number | null =>
  of.stakeEpochs === 0 ? null : (365 * 100 * EPOCHS_PER_DAY * rewardsOf(of)) / (of.stakeEpochs * 1e9);
