import type { validatorQuery } from '../../__generated__/validatorQuery.graphql';
import { countColumn, percentColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import type { Interval } from '../../figures/plots.ts';
import {
  attestations,
  attestationColumns as common,
  effectiveness,
  effectivenessColumns as effectivenessWith,
  faults,
  rewardColumns,
  rewardKinds,
  rewards,
} from '../../figures/record-figures.ts';
import type { Column } from '../../figures/table.tsx';

export type ValidatorData = NonNullable<validatorQuery['response']['validator']>;
type Effectiveness = NonNullable<ValidatorData['effectiveness']>['nodes'][number];
type Attestations = NonNullable<ValidatorData['attestations']>['nodes'][number];

const effectivenessColumns = effectivenessWith<Effectiveness>([
  percentColumn('Attester', (row) => row.avgAttesterEffectiveness),
  percentColumn('Proposer', (row) => row.avgProposerEffectiveness),
]);

const attestationColumns: Column<Attestations>[] = [
  ...common,
  countColumn('Late target', (row) => row.sumLateTargetVotes),
  countColumn('Late source', (row) => row.sumLateSourceVotes),
  countColumn('Sync signatures', (row) => row.sumSyncSignatureCount),
  countColumn('Missed sync signatures', (row) => row.sumMissedSyncSignatures),
];

/** Figures of a validator over time; most validators have no stored days. */
export function OverTime({ validator, interval }: { validator: ValidatorData; interval: Interval }) {
  const { effectiveness: effects, rewards: earned, attestations: votes } = validator;
  if (!effects?.nodes.length && !earned?.nodes.length && !votes?.nodes.length)
    return (
      <Figure
        title="Figures over time"
        parts={[effects, earned, votes]}
        columns={effectivenessColumns}
        rows={[]}
        empty="No day of this validator is stored in this range."
      />
    );
  return (
    <>
      <Figure
        title="Effectiveness"
        note="How well it did its duties, in percent of the best possible."
        columns={effectivenessColumns}
        rows={effects?.nodes ?? []}
        draw={effectiveness}
      />
      <Figure
        title="Rewards"
        note="What it earned in each period, in ETH; penalties are negative."
        columns={rewardColumns}
        rows={earned?.nodes ?? []}
        draw={rewards[interval]}
        series={rewardKinds}
      />
      <Figure
        title="Missed and wrong votes"
        note="Attestations that were missed, or included with a wrong vote."
        columns={attestationColumns}
        rows={votes?.nodes ?? []}
        draw={attestations[interval]}
        series={faults}
      />
    </>
  );
}
