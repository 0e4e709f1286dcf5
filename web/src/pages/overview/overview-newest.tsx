import { Fragment } from 'react';
import { graphql } from 'react-relay';
import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { periodName } from '../../figures/periods.ts';
import { PointChange } from '../../parts/change.tsx';
import { count, ratio } from '../../parts/format.ts';
import { OperatorLink } from '../../parts/operators.tsx';
import { PageLink } from '../../parts/page-links.tsx';
import type { Day } from './overview-days.ts';

graphql`
  fragment overviewNewest_operator on Operator {
    idType
    operatorId
    displayName
    summary(window: SEVEN_DAYS) {
      change(over: SEVEN_DAYS) {
        avgValidatorEffectiveness
      }
    }
  }
`;

type Operator = NonNullable<overviewQuery['response']['fallen']>['nodes'][number];

/** A pool that loses more percentage points of effectiveness within a week is named. */
const NOTABLE_POINTS = 1;
const changeOf = ({ summary }: Operator) => summary?.change?.avgValidatorEffectiveness;

/** Names the pools whose effectiveness fell most, or says that none fell; nothing where no change is known. */
function Fallen({ among }: { among: readonly Operator[] }) {
  if (among.every((one) => changeOf(one) == null)) return null;
  const fallen = among.filter((one) => (changeOf(one) ?? 0) < -NOTABLE_POINTS);
  if (fallen.length === 0)
    return <>No pool of 100 validators or more lost more than a point of effectiveness within a week.</>;
  return (
    <>
      Within a week, effectiveness fell most at{' '}
      {fallen.map((one, index) => (
        <Fragment key={one.id}>
          {index > 0 && ', '}
          <OperatorLink operator={one} /> (<PointChange value={changeOf(one)} good="up" digits={2} />)
        </Fragment>
      ))}
      .
    </>
  );
}

/** How the newest day and week went, for those who ask whether anything is wrong. */
export function NewestDay({
  day,
  slashed,
  fallen,
}: {
  day: Day;
  slashed: number;
  fallen: readonly Operator[];
}) {
  const { participationRatio: included, missedProposalCount: missed, proposedCount: proposed } = day;
  return (
    <>
      {periodName(day)}: {included != null && `${ratio(included)} of due attestations were included, `}
      {missed != null && proposed != null && (
        <>
          {count(missed)} of {count(BigInt(missed) + BigInt(proposed))} blocks were missed (
          <PageLink to="/explore/operators?range=1d&order=MISSED_PROPOSAL_COUNT">by pool</PageLink>),{' '}
        </>
      )}
      {slashed === 0
        ? 'no validator was'
        : slashed === 1
          ? '1 validator was'
          : `${count(slashed)} validators were`}{' '}
      slashed. <Fallen among={fallen} />
    </>
  );
}
