import { Link } from 'react-router';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { Figure } from '../../figures/figure.tsx';
import { Change, PointChange } from '../../parts/change.tsx';
import { count, eth, percentage, shortEth } from '../../parts/format.ts';
import { stakeShare } from '../../parts/operators.tsx';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { paths, slugOf } from '../../url/links.ts';
import { useHref } from '../../url/use-network.ts';
import { windowNames } from '../../url/windows.ts';
import { besideColumns, linesOf } from './operator-windows.ts';

type Operator = NonNullable<operatorQuery['response']['operator']>;

/** The figures of the window, with how they changed in a week. */
export function Newest({ operator }: { operator: Operator }) {
  const { summary } = operator;
  if (!summary) return null;
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
        change={inWeek(change?.networkPenetration == null ? null : 100 * change.networkPenetration)}
      >
        {stakeShare(share)}
      </Tile>
      <Tile label="Stake" unit="ETH" exact={eth(stake)}>
        {shortEth(stake)}
      </Tile>
      <Tile
        label="Validators"
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
      <Tile label="Effectiveness" change={inWeek(change?.avgValidatorEffectiveness, 'up')}>
        {percentage(summary.avgValidatorEffectiveness)}
      </Tile>
      <Tile label="APR" change={inWeek(change?.aprPercentage, 'up')}>
        {percentage(summary.aprPercentage)}
      </Tile>
    </Tiles>
  );
}

/** Tags, and the pool and node operator of a pool share, as links. */
export function Labels({ operator: { idType, operatorTags } }: { operator: Operator }) {
  const href = useHref();
  return (
    <span className="chips">
      {operatorTags.map(({ name, operator }) => (
        <Link
          key={name}
          className="chip"
          to={
            operator
              ? href(paths.operator(operator.idType, operator.operatorId))
              : href('/explore/operators', { class: slugOf(idType), tag: name })
          }
        >
          {name}
        </Link>
      ))}
    </span>
  );
}

const fourWindows = [
  { key: 'oneDay', head: windowNames['1d'] },
  { key: 'sevenDays', head: windowNames['7d'] },
  { key: 'thirtyDays', head: windowNames['30d'] },
  { key: 'allTime', head: windowNames.all },
] as const;
const windowColumns = besideColumns(fourWindows);

export const FourWindows = ({
  operator: { oneDay, sevenDays, thirtyDays, allTime },
}: {
  operator: Operator;
}) => (
  <Figure
    title="The four windows"
    note="The same figures in each window."
    columns={windowColumns}
    rows={linesOf({ oneDay, sevenDays, thirtyDays, allTime })}
  />
);
