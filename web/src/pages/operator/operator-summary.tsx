import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { FourWindows } from '../../figures/four-windows.tsx';
import { Makeup } from '../../figures/makeup.tsx';
import { OperatorDays } from '../../figures/operator-days.tsx';
import { longNameOf } from '../../parts/operators.tsx';
import { chainDate } from '../../url/range.ts';
import { entityRanges } from '../../url/windows.ts';
import { Newest } from './operator-newest.tsx';
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
        sumEndEpochEffectiveBalance
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

/** What an operator is: its figures, clients, relays and parts. */
export function Summary({ operator, note }: { operator: Operator; note: string | undefined }) {
  const { history } = operator;
  const days = useMemo(() => [{ name: longNameOf(operator), history }], [operator, history]);
  const hasShares = hasPoolShares(operator.idType) && (operator.poolShares?.totalCount ?? 0) > 0;
  return (
    <>
      <Newest operator={operator} />
      {note && <p className="hint">The figures above, and those of its node operators, are {note}.</p>}
      <div className="figures">
        <div className="stack">
          <OperatorDays of={days} ranges={entityRanges} />
          <FourWindows of={operator} lastDay={chainDate(operator.summary?.asOf)} />
        </div>
        {hasShares && <PoolShares operator={operator} />}
        <Makeup summary={operator.summary} />
      </div>
    </>
  );
}
