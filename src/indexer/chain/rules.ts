import { type ChainSpec, forkAt, SpecError } from './spec.ts';
import type { Fork } from './types.ts';

export type Rules = {
  readonly fork: Fork;
  readonly electra: boolean;
  readonly gloas: boolean;
  /** Since EIP-7045, a target vote is rewarded at any delay. */
  readonly anyTargetDelay: boolean;
  readonly slashingQuotient: number;
  readonly whistleblowerQuotient: number;
  readonly slashingMultiplier: number;
  readonly inactivityQuotient: number;
};

const needed = (value: number | undefined, name: string, fork: Fork): number => {
  if (value !== undefined) return value;
  throw new SpecError(`config/spec lacks ${name}, which epochs of ${fork} need.`);
};

export function rulesAt(spec: ChainSpec, epoch: number): Rules {
  const fork = forkAt(spec, epoch);
  const since = (first: Fork) => epoch >= spec.forkEpochs[first];
  if (fork === 'phase0')
    throw new SpecError(
      `epoch ${epoch} belongs to phase0, whose rewards are not supported; begin at epoch ${spec.forkEpochs.altair} or later.`,
    );
  const altair = !since('bellatrix');
  const electra = since('electra');
  return {
    fork,
    electra,
    gloas: since('gloas'),
    anyTargetDelay: since('deneb'),
    slashingQuotient: electra
      ? spec.minSlashingPenaltyQuotientElectra
      : altair
        ? needed(spec.minSlashingPenaltyQuotientAltair, 'MIN_SLASHING_PENALTY_QUOTIENT_ALTAIR', fork)
        : spec.minSlashingPenaltyQuotientBellatrix,
    whistleblowerQuotient: electra
      ? spec.whistleblowerRewardQuotientElectra
      : spec.whistleblowerRewardQuotient,
    slashingMultiplier: altair
      ? needed(spec.proportionalSlashingMultiplierAltair, 'PROPORTIONAL_SLASHING_MULTIPLIER_ALTAIR', fork)
      : spec.proportionalSlashingMultiplierBellatrix,
    inactivityQuotient: altair
      ? needed(spec.inactivityPenaltyQuotientAltair, 'INACTIVITY_PENALTY_QUOTIENT_ALTAIR', fork)
      : spec.inactivityPenaltyQuotientBellatrix,
  };
}

/** The upgrade to Electra is refused, because it moves balances of pending validators into the deposit queue. */
export function refuseUpgrade(spec: ChainSpec, epoch: number): void {
  const { electra } = spec.forkEpochs;
  if (epoch + 1 !== electra) return;
  throw new SpecError(
    `epoch ${epoch} ends with the upgrade to Electra, which is not supported; end before it, or begin at epoch ${electra} or later.`,
  );
}
