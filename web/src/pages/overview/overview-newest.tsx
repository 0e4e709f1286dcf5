import { Fragment, type ReactNode } from 'react';
import { graphql } from 'react-relay';
import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { periodName } from '../../figures/periods.ts';
import { PointChange } from '../../parts/change.tsx';
import { ago, count, percentage, ratio } from '../../parts/format.ts';
import { isOld } from '../../parts/heading.tsx';
import { measured, OperatorLink } from '../../parts/operators.tsx';
import { PageLink } from '../../parts/page-links.tsx';
import { calendars } from '../../url/range.ts';
import type { Day } from './overview-days.ts';
import { meanOf } from './overview-figures.ts';
import { slashingDates } from './overview-marks.ts';

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
    newestDay: summary(window: ONE_DAY) {
      validatorCount
      avgValidatorEffectiveness
    }
  }
`;

type Operator = NonNullable<overviewQuery['response']['fallen']>['nodes'][number];

/** A pool that loses more percentage points of effectiveness within a week is named, and so is a day with so much less participation. */
const NOTABLE_POINTS = 1;
/** Below it, the chain does not finalize. */
const QUORUM = 2 / 3;
/** So many times the usual share of missed blocks is unusual. */
const MANY_MISSED = 2;
/** What is usual is a mean of so many days before the newest, of as many as are known, but not of fewer than the least. */
const [USUAL_DAYS, LEAST_DAYS] = [30, 7];

const changeOf = ({ summary }: Operator) => summary?.change?.avgValidatorEffectiveness;

type Given = {
  /** Days that the page knows, newest first. */
  days: readonly Day[];
  /** How many were slashed on the newest day. */
  slashed: number;
  fallen: readonly Operator[];
  asOf: { readonly time: string } | null | undefined;
  search: URLSearchParams;
};

function usualOf(days: readonly Day[], of: (day: Day) => number | null | undefined): number | undefined {
  const before = days.slice(1, 1 + USUAL_DAYS).map(of);
  return before.filter((value) => value != null).length < LEAST_DAYS ? undefined : meanOf(before);
}

function Slashed({ day, number, search }: { day: Day; number: number; search: URLSearchParams }) {
  const text = number === 1 ? '1 validator was slashed' : `${count(number)} validators were slashed`;
  if (!day.date) return text;
  const dates = new URLSearchParams(slashingDates(day.date, day.date, search));
  return <PageLink to={`/explore/slashings?${dates}`}>{text}</PageLink>;
}

function Fallen({ pools }: { pools: readonly Operator[] }) {
  const newest = ({ newestDay }: Operator) => measured(newestDay, newestDay?.avgValidatorEffectiveness);
  return (
    <>
      within a week, the mean effectiveness of seven days fell most at{' '}
      {pools.map((one, index) => (
        <Fragment key={one.id}>
          {index > 0 && ', '}
          <OperatorLink operator={one} params={{ range: '7d' }} /> (
          <PointChange value={changeOf(one)} good="up" digits={2} unit />
          {newest(one) != null && `; ${percentage(newest(one))} on the newest day`})
        </Fragment>
      ))}
    </>
  );
}

/** What is unusual by the rules of docs/explorer.md. */
function findingsOf({ days, slashed, fallen, asOf, search }: Given): [name: string, text: ReactNode][] {
  const [day] = days;
  if (!day) return [];
  const { participationRatio: included, targetParticipationRatio: target, missedProposalRatio: missed } = day;
  const usual = usualOf(days, (one) => one.participationRatio);
  const usuallyMissed = usualOf(days, (one) => one.missedProposalRatio);
  const pools = fallen.filter((one) => (changeOf(one) ?? 0) < -NOTABLE_POINTS);
  const isWithoutQuorum = target != null && target < QUORUM;
  const isLow = included != null && usual !== undefined && 100 * (usual - included) > NOTABLE_POINTS;
  return [
    asOf && isOld(asOf.time) && ['age', `the newest day ended ${ago(asOf.time)}`],
    isWithoutQuorum && [
      'target',
      `${ratio(target)} of attestations had the correct target, too few for the chain to finalize`,
    ],
    isLow &&
      !isWithoutQuorum && [
        'participation',
        `${ratio(included)} of due attestations were included, but ${ratio(usual)} in the days before`,
      ],
    missed != null &&
      usuallyMissed !== undefined &&
      missed > MANY_MISSED * usuallyMissed && [
        'missed',
        `${ratio(missed)} of blocks were missed, but ${ratio(usuallyMissed)} in the days before`,
      ],
    slashed > 0 && ['slashed', <Slashed key="s" day={day} number={slashed} search={search} />],
    pools.length > 0 && ['fallen', <Fallen key="f" pools={pools} />],
  ].filter((one) => Array.isArray(one)) as [string, ReactNode][];
}

/** Whether anything was unusual on the newest day, in one line. */
export function Verdict(props: Given) {
  const [day] = props.days;
  if (!day) return null;
  const findings = findingsOf(props);
  const name = `${periodName(day)} (${calendars.read(props.search) === 'utc' ? 'UTC day' : 'chain day'})`;
  const isKnown = day.participationRatio != null && day.missedProposalRatio != null;
  return (
    <span className="verdict" data-tone={findings.length > 0 ? 'note' : isKnown ? 'good' : undefined}>
      {findings.length === 0 ? (
        `Nothing unusual ${isKnown ? 'on' : 'in what is stored of'} ${name}.`
      ) : (
        <>
          Unusual on {name}:{' '}
          {findings.map(([key, text], index) => (
            <Fragment key={key}>
              {index > 0 && '; '}
              {text}
            </Fragment>
          ))}
          .
        </>
      )}
    </span>
  );
}

/** How the newest day and week went, in figures. */
export function NewestDay({ days, slashed, fallen, search }: Given) {
  const [day] = days;
  if (!day) return null;
  const { participationRatio: included, missedProposalCount: missed, proposedCount: proposed } = day;
  const isChain = calendars.read(search) === 'chain';
  const isSteady =
    fallen.some((one) => changeOf(one) != null) &&
    fallen.every((one) => (changeOf(one) ?? 0) >= -NOTABLE_POINTS);
  return (
    <>
      {included != null && `${ratio(included)} of due attestations were included. `}
      {missed != null && proposed != null && (
        <>
          {count(missed)} of {count(BigInt(missed) + BigInt(proposed))} blocks were missed
          {isChain && (
            <>
              {' '}
              (<PageLink to="/explore/operators?range=1d&order=MISSED_PROPOSAL_COUNT">by pool</PageLink>)
            </>
          )}
          .
        </>
      )}
      {slashed === 0 && ' No validator was slashed.'}
      {isSteady &&
        ' No pool of 100 validators or more lost more than a point of effectiveness within a week.'}
    </>
  );
}
