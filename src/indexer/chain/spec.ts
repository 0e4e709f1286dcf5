import { z } from 'zod';
import { FAR_FUTURE_EPOCH, SECONDS_PER_SLOT, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import {
  depositContract,
  forkEpochs,
  genesisTime,
  genesisValidatorsRoot,
  type Network,
  networks,
} from '../../chain/networks.ts';
import { AnswerError } from '../answers/error.ts';
import { integerOf, shown } from '../answers/json.ts';
import { type Fork, forks } from './types.ts';

/** The node is of a chain that this version does not index. Malformed answers are `AnswerError`s, and asked again. */
export class SpecError extends Error {}

const required = {
  slotsPerEpoch: 'SLOTS_PER_EPOCH',
  syncCommitteeSize: 'SYNC_COMMITTEE_SIZE',
  epochsPerSyncCommitteePeriod: 'EPOCHS_PER_SYNC_COMMITTEE_PERIOD',
  maxCommitteesPerSlot: 'MAX_COMMITTEES_PER_SLOT',
  epochsPerSlashingsVector: 'EPOCHS_PER_SLASHINGS_VECTOR',
  minAttestationInclusionDelay: 'MIN_ATTESTATION_INCLUSION_DELAY',
  baseRewardFactor: 'BASE_REWARD_FACTOR',
  effectiveBalanceIncrement: 'EFFECTIVE_BALANCE_INCREMENT',
  maxEffectiveBalance: 'MAX_EFFECTIVE_BALANCE',
  hysteresisQuotient: 'HYSTERESIS_QUOTIENT',
  hysteresisDownwardMultiplier: 'HYSTERESIS_DOWNWARD_MULTIPLIER',
  hysteresisUpwardMultiplier: 'HYSTERESIS_UPWARD_MULTIPLIER',
  inactivityScoreBias: 'INACTIVITY_SCORE_BIAS',
  inactivityScoreRecoveryRate: 'INACTIVITY_SCORE_RECOVERY_RATE',
  minEpochsToInactivityPenalty: 'MIN_EPOCHS_TO_INACTIVITY_PENALTY',
  inactivityPenaltyQuotientBellatrix: 'INACTIVITY_PENALTY_QUOTIENT_BELLATRIX',
  minSlashingPenaltyQuotientBellatrix: 'MIN_SLASHING_PENALTY_QUOTIENT_BELLATRIX',
  proportionalSlashingMultiplierBellatrix: 'PROPORTIONAL_SLASHING_MULTIPLIER_BELLATRIX',
  whistleblowerRewardQuotient: 'WHISTLEBLOWER_REWARD_QUOTIENT',
  ejectionBalance: 'EJECTION_BALANCE',
  churnLimitQuotient: 'CHURN_LIMIT_QUOTIENT',
} as const;

const electra = {
  minActivationBalance: 'MIN_ACTIVATION_BALANCE',
  maxEffectiveBalanceElectra: 'MAX_EFFECTIVE_BALANCE_ELECTRA',
  minSlashingPenaltyQuotientElectra: 'MIN_SLASHING_PENALTY_QUOTIENT_ELECTRA',
  whistleblowerRewardQuotientElectra: 'WHISTLEBLOWER_REWARD_QUOTIENT_ELECTRA',
  minPerEpochChurnLimitElectra: 'MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA',
  maxPerEpochActivationExitChurnLimit: 'MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT',
} as const;

/** Required once Gloas is scheduled. */
const gloas = {
  churnLimitQuotientGloas: 'CHURN_LIMIT_QUOTIENT_GLOAS',
  maxPerEpochActivationChurnLimitGloas: 'MAX_PER_EPOCH_ACTIVATION_CHURN_LIMIT_GLOAS',
  consolidationChurnLimitQuotient: 'CONSOLIDATION_CHURN_LIMIT_QUOTIENT',
  minBuilderWithdrawabilityDelay: 'MIN_BUILDER_WITHDRAWABILITY_DELAY',
} as const;

/** Only epochs of Altair need the first three constants. */
const optional = {
  minSlashingPenaltyQuotientAltair: 'MIN_SLASHING_PENALTY_QUOTIENT_ALTAIR',
  inactivityPenaltyQuotientAltair: 'INACTIVITY_PENALTY_QUOTIENT_ALTAIR',
  proportionalSlashingMultiplierAltair: 'PROPORTIONAL_SLASHING_MULTIPLIER_ALTAIR',
  depositChainId: 'DEPOSIT_CHAIN_ID',
} as const;

/** Some nodes omit these constants; the values are those of mainnet. */
const fixed = {
  timelySourceWeight: ['TIMELY_SOURCE_WEIGHT', 14],
  timelyTargetWeight: ['TIMELY_TARGET_WEIGHT', 26],
  timelyHeadWeight: ['TIMELY_HEAD_WEIGHT', 14],
  syncRewardWeight: ['SYNC_REWARD_WEIGHT', 2],
  proposerWeight: ['PROPOSER_WEIGHT', 8],
  builderPaymentThresholdNumerator: ['BUILDER_PAYMENT_THRESHOLD_NUMERATOR', 6],
  builderPaymentThresholdDenominator: ['BUILDER_PAYMENT_THRESHOLD_DENOMINATOR', 10],
  weightDenominator: ['WEIGHT_DENOMINATOR', 64],
  maxPendingDepositsPerEpoch: ['MAX_PENDING_DEPOSITS_PER_EPOCH', 16],
} as const;

type Numbers<T> = { readonly [Name in keyof T]: number };

export type ScheduledFork = { readonly name: string; readonly epoch: number };

/** Amounts are in Gwei; FAR_FUTURE_EPOCH is `Infinity`. */
export type ChainSpec = Numbers<typeof required> &
  Numbers<typeof electra> &
  Numbers<typeof fixed> & { readonly [Name in keyof typeof optional]: number | undefined } & {
    readonly configName: string | undefined;
    readonly secondsPerSlot: number;
    readonly forkEpochs: Readonly<Record<Fork, number>>;
    /** Undefined while Gloas is not scheduled. */
    readonly gloas: Numbers<typeof gloas> | undefined;
    /** The next one first. */
    readonly unknownForks: readonly ScheduledFork[];
    readonly depositContractAddress: string | undefined;
  };

const Answer = z.record(z.string(), z.unknown());

class Reader {
  readonly values: Readonly<Record<string, unknown>>;
  readonly missing: string[] = [];

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }

  optional(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (value === FAR_FUTURE_EPOCH) return Number.POSITIVE_INFINITY;
    const number = integerOf(value);
    if (number !== undefined) return number;
    throw new AnswerError(
      `config/spec has ${name} ${shown(value)}; a decimal integer below 2^53 is expected`,
    );
  }

  required(name: string): number {
    const value = this.optional(name);
    if (value === undefined) this.missing.push(name);
    return value ?? Number.NaN;
  }
}

const numbersOf = <T extends Record<string, string>>(names: T, read: (name: string) => number) =>
  Object.fromEntries(Object.entries(names).map(([key, name]) => [key, read(name)])) as Numbers<T>;

function forkEpochsOf(reader: Reader): Record<Fork, number> {
  const epochs = { phase0: 0 } as Record<Fork, number>;
  let before = 0;
  for (const fork of forks.slice(1)) {
    // Older nodes omit later forks.
    const epoch = reader.optional(`${fork.toUpperCase()}_FORK_EPOCH`) ?? Number.POSITIVE_INFINITY;
    if (epoch < before)
      throw new SpecError(
        `config/spec schedules ${fork} at epoch ${epoch}, before the fork that precedes it (${before}).`,
      );
    epochs[fork] = before = epoch;
  }
  return epochs;
}

/** Later epochs, which are 26,000 years away, are not scheduled. */
const isScheduled = ({ epoch }: ScheduledFork): boolean => epoch < 2 ** 31;

function unknownForksOf(reader: Reader): ScheduledFork[] {
  const known = new Set<string>(forks);
  return Object.keys(reader.values)
    .flatMap((key) => {
      const name = /^(.+)_FORK_EPOCH$/.exec(key)?.[1]?.toLowerCase();
      return name && !known.has(name)
        ? [{ name, epoch: reader.optional(key) ?? Number.POSITIVE_INFINITY }]
        : [];
    })
    .filter(isScheduled)
    .sort((a, b) => a.epoch - b.epoch);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function secondsPerSlotOf(reader: Reader): number {
  const milliseconds = reader.optional('SLOT_DURATION_MS');
  if (milliseconds !== undefined) return milliseconds / 1000;
  return reader.required('SECONDS_PER_SLOT');
}

function checkCalendar(spec: ChainSpec): void {
  if (spec.slotsPerEpoch === SLOTS_PER_EPOCH && spec.secondsPerSlot === SECONDS_PER_SLOT) return;
  throw new SpecError(
    `config/spec has ${spec.slotsPerEpoch} slots per epoch of ${spec.secondsPerSlot} s; only chains with ${SLOTS_PER_EPOCH} slots of ${SECONDS_PER_SLOT} s are supported.`,
  );
}

export function parseSpec(data: unknown): ChainSpec {
  const answer = Answer.safeParse(data);
  if (!answer.success || Object.keys(answer.data).length === 0)
    throw new AnswerError('config/spec is not an object of constants; is this a beacon node?');
  const reader = new Reader(answer.data);
  const forkEpochs = forkEpochsOf(reader);
  const hasElectra = forkEpochs.electra !== Number.POSITIVE_INFINITY;
  const spec: ChainSpec = {
    ...numbersOf(required, (name) => reader.required(name)),
    ...numbersOf(electra, (name) =>
      hasElectra ? reader.required(name) : (reader.optional(name) ?? Number.NaN),
    ),
    ...(Object.fromEntries(
      Object.entries(fixed).map(([key, [name, value]]) => [key, reader.optional(name) ?? value]),
    ) as Numbers<typeof fixed>),
    ...(Object.fromEntries(
      Object.entries(optional).map(([key, name]) => [key, reader.optional(name)]),
    ) as Record<keyof typeof optional, number | undefined>),
    configName: textOf(reader.values.CONFIG_NAME),
    secondsPerSlot: secondsPerSlotOf(reader),
    forkEpochs,
    gloas:
      forkEpochs.gloas === Number.POSITIVE_INFINITY
        ? undefined
        : numbersOf(gloas, (name) => reader.required(name)),
    unknownForks: unknownForksOf(reader),
    depositContractAddress: textOf(reader.values.DEPOSIT_CONTRACT_ADDRESS)?.toLowerCase(),
  };
  const preset = textOf(reader.values.PRESET_BASE);
  if (preset !== undefined && preset !== 'mainnet')
    throw new SpecError(`config/spec has the preset ${preset}; only mainnet's is supported.`);
  if (reader.missing.length)
    throw new SpecError(
      `config/spec lacks ${reader.missing.join(', ')}; update the beacon node, or ask one that has all constants.`,
    );
  checkCalendar(spec);
  return spec;
}

export const scheduledForks = ({ forkEpochs, unknownForks }: ChainSpec): ScheduledFork[] => [
  ...forks.map((name) => ({ name, epoch: forkEpochs[name] })).filter(isScheduled),
  ...unknownForks,
];

const isTold = (value: unknown): boolean => value !== undefined && !Number.isNaN(value);

/** Returns a constant that two nodes report with different values. Nodes report different sets; older nodes lack forks. */
export function differing(a: ChainSpec, b: ChainSpec): keyof ChainSpec | undefined {
  const keys = (Object.keys(a) as (keyof ChainSpec)[]).filter(
    (key) => key !== 'configName' && key !== 'unknownForks' && key !== 'forkEpochs',
  );
  const forkDiffers = forks.some((name) => {
    const [one, other] = [a.forkEpochs[name], b.forkEpochs[name]];
    return Number.isFinite(one) && Number.isFinite(other) && one !== other;
  });
  if (forkDiffers) return 'forkEpochs';
  return keys.find(
    (key) => isTold(a[key]) && isTold(b[key]) && JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
}

/** Adds to `spec` what only `other` has: a node that was updated while the index runs may schedule another fork. */
export function complete(spec: ChainSpec, other: ChainSpec): void {
  const missing = Object.entries(other).filter(([key]) => !isTold(spec[key as keyof ChainSpec]));
  const epochs = forks.map((name) => [name, Math.min(spec.forkEpochs[name], other.forkEpochs[name])]);
  const own = other.unknownForks.map(({ name }) => name);
  const unknownForks = [
    ...other.unknownForks,
    ...spec.unknownForks.filter(({ name }) => !own.includes(name)),
  ];
  Object.assign(spec, Object.fromEntries(missing), {
    forkEpochs: Object.fromEntries(epochs),
    unknownForks: unknownForks.sort((a, b) => a.epoch - b.epoch),
  });
}

export function forkAt(spec: ChainSpec, epoch: number): Fork {
  const unknown = spec.unknownForks.find((fork) => epoch >= fork.epoch);
  if (unknown)
    throw new SpecError(
      `epoch ${epoch} belongs to the fork ${unknown.name} (from epoch ${unknown.epoch}), which this version does not know; update stakegraph.`,
    );
  return forks.findLast((fork) => epoch >= spec.forkEpochs[fork]) ?? 'phase0';
}

const Genesis = z.object({
  genesis_time: z
    .unknown()
    .transform((value) => integerOf(value))
    .pipe(z.int()),
  genesis_validators_root: z.string().regex(/^0x[0-9a-f]{64}$/i),
});

export type Genesis = { time: number; validatorsRoot: string };

export function parseGenesis(data: unknown): Genesis {
  const answer = Genesis.safeParse(data);
  if (!answer.success)
    throw new AnswerError(
      'beacon/genesis has no genesis_time and genesis_validators_root; is this a beacon node?',
    );
  return {
    time: answer.data.genesis_time,
    validatorsRoot: answer.data.genesis_validators_root.toLowerCase(),
  };
}

/** Development chains and recorded ones take the genesis time of a network, usually hoodi's, with forks of their own. */
function knownForks(network: Network, validatorsRoot: string): Partial<Record<Fork, number>> {
  if (validatorsRoot === genesisValidatorsRoot[network]) return forkEpochs[network];
  const { electra, gloas } = forkEpochs[network];
  return network === 'hoodi' ? {} : { electra, ...(gloas !== undefined && { gloas }) };
}

/** Throws if the node contradicts what is known of its network. A fork that it does not schedule is no contradiction. */
function checkKnown(network: Network, { validatorsRoot }: Genesis, spec: ChainSpec): void {
  const { forkEpochs: scheduled, depositContractAddress } = spec;
  for (const [name, epoch] of Object.entries(knownForks(network, validatorsRoot)))
    if (Number.isFinite(scheduled[name as Fork]) && scheduled[name as Fork] !== epoch)
      throw new SpecError(
        `the node has the genesis time of ${network}, but schedules ${name} at epoch ${scheduled[name as Fork]} in place of ${epoch}; it is of another network.`,
      );
  const contract = depositContract[network];
  if (depositContractAddress !== undefined && depositContractAddress !== contract)
    throw new SpecError(
      `the node has the genesis time of ${network}, but the deposit contract ${depositContractAddress} in place of ${contract}; it is of another network.`,
    );
}

export function networkOfGenesis(genesis: Genesis, spec: ChainSpec, expected?: Network): Network {
  const found = networks.find((network) => genesisTime[network] === genesis.time);
  const identity = `genesis time ${genesis.time}${spec.configName ? `, config ${spec.configName}` : ''}`;
  if (found === undefined)
    throw new SpecError(
      `the node is of an unknown network (${identity}); known are ${networks.map((n) => `${n} (${genesisTime[n]})`).join(', ')}.`,
    );
  const named = networks.find((network) => network === spec.configName);
  if (named !== undefined && named !== found)
    throw new SpecError(
      `the node has the genesis time of ${found} but the config of ${named} (${identity}).`,
    );
  checkKnown(found, genesis, spec);
  if (expected !== undefined && expected !== found)
    throw new SpecError(
      `the node is of ${found} (${identity}), but --network is ${expected}; pass --network ${found}, or a node of ${expected}.`,
    );
  return found;
}
