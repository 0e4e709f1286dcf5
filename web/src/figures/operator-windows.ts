import { graphql } from 'react-relay';
import type { operatorWindows_summary$data } from '../__generated__/operatorWindows_summary.graphql';
import { count, decimal, percentage, ratio, shortCount, shortEth } from '../parts/format.ts';
import { measured, stakeShare } from '../parts/operators.tsx';
import { inEth } from './columns.tsx';
import type { Column } from './table.tsx';

graphql`
  fragment operatorWindows_summary on OperatorSummary {
    validatorCount
    networkPenetration
    sumEndEpochEffectiveBalance
    avgValidatorEffectiveness
    aprPercentage
    avgUptime
    avgCorrectness
    avgInclusionDelay
    missedProposalCount
    proposerDutyCount
  }
`;

type Summary = Omit<operatorWindows_summary$data, ' $fragmentType'>;

type Line = {
  name: string;
  unit: string;
  /** How it was at the end, which is the same in all windows that end together. */
  isOfEnd?: boolean;
  exact: (summary: Summary) => string | number | null | undefined;
  show: (summary: Summary) => string;
};

const lines: Line[] = [
  {
    name: 'Validators',
    unit: '',
    isOfEnd: true,
    exact: (of) => of.validatorCount,
    show: (of) => count(of.validatorCount),
  },
  {
    name: 'Share of stake',
    unit: ' (0–1)',
    isOfEnd: true,
    exact: (of) => of.networkPenetration,
    show: (of) => stakeShare(of.networkPenetration),
  },
  {
    name: 'Stake',
    unit: ' (ETH)',
    isOfEnd: true,
    exact: (of) => inEth(of.sumEndEpochEffectiveBalance),
    show: (of) =>
      of.sumEndEpochEffectiveBalance == null ? '–' : `${shortEth(of.sumEndEpochEffectiveBalance)} ETH`,
  },
  {
    name: 'Effectiveness',
    unit: ' (%)',
    exact: (of) => measured(of, of.avgValidatorEffectiveness),
    show: (of) => percentage(measured(of, of.avgValidatorEffectiveness)),
  },
  { name: 'APR', unit: ' (%)', exact: (of) => of.aprPercentage, show: (of) => percentage(of.aprPercentage) },
  {
    name: 'Uptime',
    unit: ' (0–1)',
    exact: (of) => measured(of, of.avgUptime),
    show: (of) => ratio(measured(of, of.avgUptime)),
  },
  {
    name: 'Correctness',
    unit: ' (0–1)',
    exact: (of) => measured(of, of.avgCorrectness),
    show: (of) => ratio(measured(of, of.avgCorrectness)),
  },
  {
    name: 'Inclusion delay',
    unit: ' (slots)',
    exact: (of) => of.avgInclusionDelay,
    show: (of) => (of.avgInclusionDelay == null ? '–' : `${decimal(of.avgInclusionDelay, 3)} slots`),
  },
  {
    name: 'Missed blocks',
    unit: '',
    exact: (of) => of.missedProposalCount,
    show: (of) =>
      of.missedProposalCount == null
        ? '–'
        : `${count(of.missedProposalCount)} of ${shortCount(of.proposerDutyCount)}`,
  },
];

type Given = Summary | null | undefined;
type WindowLine = Line & { id: string; summaries: Record<string, Given> };

/** The figures of a summary, a row each, to stand beside those of others. */
export const linesOf = (summaries: Record<string, Given>): WindowLine[] =>
  lines.map((line) => ({ ...line, id: line.name, summaries }));

export const besideColumns = (names: readonly { key: string; head: string }[]): Column<WindowLine>[] => [
  { head: 'Figure', value: ({ name, unit }) => name + unit, show: ({ name }) => name },
  ...names.map(
    ({ key, head }): Column<WindowLine> => ({
      head,
      value: ({ summaries, exact }) => summaries[key] && exact(summaries[key]),
      show: ({ summaries, show }) => (summaries[key] ? show(summaries[key]) : '–'),
      numeric: true,
    }),
  ),
];
