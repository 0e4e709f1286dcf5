import type { validatorQuery } from './__generated__/validatorQuery.graphql';
import { countColumn, percentColumn } from './columns.tsx';
import { attestationColumns as common, effectivenessColumns as effectivenessWith } from './record-figures.ts';
import type { Column } from './table.tsx';

export type ValidatorData = NonNullable<validatorQuery['response']['validator']>;
type Effectiveness = NonNullable<ValidatorData['effectiveness']>['nodes'][number];
type Attestations = NonNullable<ValidatorData['attestations']>['nodes'][number];

export const effectivenessColumns = effectivenessWith<Effectiveness>([
  percentColumn('Attester', (row) => row.avgAttesterEffectiveness),
  percentColumn('Proposer', (row) => row.avgProposerEffectiveness),
]);

export const attestationColumns: Column<Attestations>[] = [
  ...common,
  countColumn('Late target', (row) => row.sumLateTargetVotes),
  countColumn('Late source', (row) => row.sumLateSourceVotes),
  countColumn('Sync signatures', (row) => row.sumSyncSignatureCount),
  countColumn('Missed sync signatures', (row) => row.sumMissedSyncSignatures),
];
