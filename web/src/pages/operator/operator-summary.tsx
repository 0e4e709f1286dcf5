import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { FourWindows } from '../../figures/four-windows.tsx';
import { Makeup } from '../../figures/makeup.tsx';
import { OperatorDays } from '../../figures/operator-days.tsx';
import { Change, PointChange } from '../../parts/change.tsx';
import { count, eth, percentage, shortEth } from '../../parts/format.ts';
import { longNameOf, stakeShare } from '../../parts/operators.tsx';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { entityRanges } from '../../url/windows.ts';
import { hasPoolShares, PoolShares } from './operator-shares.tsx';

graphql`
  fragment operatorSummary_operator on Operator {
    oneDay: summary(window: ONE_DAY) @include(if: $onSummary) {
      ...operatorWindows_summary @relay(mask: false)
    }
    sevenDays: summary(window: SEVEN_DAYS) @include(if: $onSummary) {
      ...operatorWindows_summary @relay(mask: false)
    }
    thirtyDays: summary(window: THIRTY_DAYS) @include(if: $onSummary) {
      ...operatorWindows_summary @relay(mask: false)
    }
    allTime: summary(window: ALL) @include(if: $onSummary) {
      ...operatorWindows_summary @relay(mask: false)
    }
    summary(window: $window) @include(if: $onSummary) {
      change(over: SEVEN_DAYS) {
        since
        networkPenetration
        avgValidatorEffectiveness
        aprPercentage
        validatorCount
      }
      ...makeup_summary @relay(mask: false)
    }
    history(
      window: $window
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: DATE, direction: ASC }
      last: $days
    ) @include(if: $hasHistory) {
      ...operatorDays_history @relay(mask: false)
    }
  }
`;

type Data = operatorQuery['response'];
type Operator = NonNullable<Data['operator']>;
type Day = NonNullable<Operator['history']>['nodes'][number];

/** The figures of the window, with how they changed in a week. */
function Newest({ operator }: { operator: Operator }) {
  const { summary, history } = operator;
  if (!summary) return null;
  const trend = (of: (day: Day) => number | null | undefined) => history?.nodes.map(of);
  const { change, networkPenetration: share, sumEndEpochEffectiveBalance: stake } = summary;
  const inWeek = (value: number | null | undefined, good?: 'up') =>
    value != null && (
      <>
        <PointChange value={value} unit {...(good && { good })} /> in a week
      </>
    );
  return (
    <Tiles>
      <Tile
        label="Share of stake"
        trend={trend((day) => day.networkPenetration)}
        change={inWeek(change?.networkPenetration == null ? null : 100 * change.networkPenetration)}
      >
        {stakeShare(share)}
      </Tile>
      <Tile label="Stake" unit="ETH" exact={eth(stake)}>
        {shortEth(stake)}
      </Tile>
      <Tile
        label="Validators"
        trend={trend((day) => day.validatorCount)}
        change={
          change && (
            <>
              <Change value={change.validatorCount} text={count(Math.abs(change.validatorCount))} /> in a week
            </>
          )
        }
      >
        {count(summary.validatorCount)}
      </Tile>
      <Tile
        label="Effectiveness"
        trend={trend((day) => day.avgValidatorEffectiveness)}
        change={inWeek(change?.avgValidatorEffectiveness, 'up')}
      >
        {percentage(summary.avgValidatorEffectiveness)}
      </Tile>
      <Tile
        label="APR"
        trend={trend((day) => day.aprPercentage)}
        change={inWeek(change?.aprPercentage, 'up')}
      >
        {percentage(summary.aprPercentage)}
      </Tile>
    </Tiles>
  );
}

/** What an operator is: its figures, clients, relays and parts. */
export function Summary({ operator, note }: { operator: Operator; note: string | undefined }) {
  const { history } = operator;
  const days = useMemo(() => [{ name: longNameOf(operator), history }], [operator, history]);
  const hasShares = operator.poolShares !== undefined && hasPoolShares(operator.idType);
  return (
    <>
      <Newest operator={operator} />
      {note && <p className="hint">The figures above, and those of its node operators, are {note}.</p>}
      <div className="figures">
        <div className="stack">
          <OperatorDays of={days} ranges={entityRanges} />
          <FourWindows of={operator} />
          {hasShares && <Makeup summary={operator.summary} />}
        </div>
        {hasShares ? (
          <PoolShares operator={operator} />
        ) : (
          <div className="stack">
            <Makeup summary={operator.summary} />
          </div>
        )}
      </div>
    </>
  );
}
