import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { Change, PointChange } from '../../parts/change.tsx';
import { count, eth, percentage, shortEth } from '../../parts/format.ts';
import { measured, stakeShare } from '../../parts/operators.tsx';
import { Tile, Tiles } from '../../parts/tiles.tsx';

type Operator = NonNullable<operatorQuery['response']['operator']>;
type Day = NonNullable<Operator['history']>['nodes'][number];

/** The figures of the window, with how they changed in a week. */
export function Newest({ operator }: { operator: Operator }) {
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
      <Tile
        label="Stake"
        unit="ETH"
        exact={eth(stake)}
        change={
          change?.sumEndEpochEffectiveBalance != null && (
            <>
              <Change
                value={Number(change.sumEndEpochEffectiveBalance)}
                text={`${shortEth(change.sumEndEpochEffectiveBalance.replace('-', ''))} ETH`}
                title={eth(change.sumEndEpochEffectiveBalance)}
              />{' '}
              in a week
            </>
          )
        }
      >
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
        {percentage(measured(summary, summary.avgValidatorEffectiveness))}
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
