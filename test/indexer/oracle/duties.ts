import type { Run } from './run.ts';

/** What a validator did in some epochs, a day or an hour. */
export type Duties = {
  startEpoch: number;
  endEpoch: number;
  totalUniqueAttestations: number;
  sumMissedAttestations: number;
  sumMissedSyncSignatures: number | null;
  sumSyncSignatureCount: number | null;
  sumCorrectHead: number;
  sumCorrectTarget: number;
  sumCorrectSource: number;
  sumWrongHeadVotes: number;
  sumWrongTargetVotes: number;
  sumLateTargetVotes: number;
  sumLateSourceVotes: number;
  sumInclusionDelay: number;
};

const noDuties: Omit<Duties, 'startEpoch' | 'endEpoch'> = {
  totalUniqueAttestations: 0,
  sumMissedAttestations: 0,
  sumMissedSyncSignatures: null,
  sumSyncSignatureCount: null,
  sumCorrectHead: 0,
  sumCorrectTarget: 0,
  sumCorrectSource: 0,
  sumWrongHeadVotes: 0,
  sumWrongTargetVotes: 0,
  sumLateTargetVotes: 0,
  sumLateSourceVotes: 0,
  sumInclusionDelay: 0,
};

function addVote(duties: Duties, run: Run, validator: number, epoch: number): void {
  const vote = run.result(epoch).votes.get(validator);
  if (!vote) {
    duties.sumMissedAttestations += 1;
    return;
  }
  duties.totalUniqueAttestations += 1;
  duties.sumInclusionDelay += vote.delay;
  duties.sumCorrectHead += Number(vote.flags.has('head'));
  duties.sumCorrectTarget += Number(vote.flags.has('target'));
  duties.sumCorrectSource += Number(vote.flags.has('source'));
  duties.sumWrongHeadVotes += Number(vote.wrongHead);
  duties.sumWrongTargetVotes += Number(vote.wrongTarget);
  duties.sumLateTargetVotes += Number(vote.lateTarget);
  duties.sumLateSourceVotes += Number(vote.lateSource);
}

/**
 * What all validators did in these closed epochs, by index. Those without an attestation duty count only if they sit in
 * the sync committee.
 */
export function dutiesIn(run: Run, epochs: readonly number[]): Map<number, Duties> {
  const all = new Map<number, Duties>();
  const add = (validator: number, epoch: number) => {
    const known = all.get(validator);
    if (known) {
      known.endEpoch = epoch;
      return known;
    }
    const duties = { startEpoch: epoch, endEpoch: epoch, ...noDuties };
    all.set(validator, duties);
    return duties;
  };
  for (const epoch of epochs) {
    for (const validator of run.result(epoch).terms.active) {
      addVote(add(validator, epoch), run, validator, epoch);
    }
  }
  for (const epoch of epochs) {
    for (const validator of new Set(run.recording.duties.get(epoch)?.sync)) {
      const known = all.get(validator);
      const attested = known && known.totalUniqueAttestations + known.sumMissedAttestations > 0;
      const duties = attested ? known : add(validator, epoch);
      duties.sumMissedSyncSignatures ??= 0;
      duties.sumSyncSignatureCount ??= 0;
    }
    for (const { seats } of run.result(epoch).blocks) {
      for (const { validator, reward } of seats) {
        const duties = all.get(validator) as Duties & Record<SyncCount, number>;
        duties[reward > 0n ? 'sumSyncSignatureCount' : 'sumMissedSyncSignatures'] += 1;
      }
    }
  }
  return all;
}

type SyncCount = 'sumSyncSignatureCount' | 'sumMissedSyncSignatures';

export const dutyCount = (duties: Duties) => duties.totalUniqueAttestations + duties.sumMissedAttestations;

/** 0..100. */
export function attesterEffectiveness(duties: Duties): number {
  const attested = duties.totalUniqueAttestations;
  if (attested === 0) return 0;
  const correct = duties.sumCorrectHead + duties.sumCorrectTarget + duties.sumCorrectSource;
  return (
    (100 * (attested / dutyCount(duties)) * (correct / (3 * attested))) /
    (duties.sumInclusionDelay / attested)
  );
}
