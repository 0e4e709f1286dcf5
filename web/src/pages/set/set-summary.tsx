import { graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { Figure } from '../../figures/figure.tsx';
import { FourWindows } from '../../figures/four-windows.tsx';
import { Makeup } from '../../figures/makeup.tsx';
import { granularities } from '../../figures/periods.ts';
import {
  effectiveness,
  effectivenessColumns,
  rewardColumns,
  rewardKinds,
  rewards,
} from '../../figures/record-figures.ts';
import { SumTile } from '../../figures/reward-figures.tsx';
import { count, eth, percentage, shortEth } from '../../parts/format.ts';
import { measured, stakeShare } from '../../parts/operators.tsx';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { setCalendars } from '../../url/range.ts';
import { entityRanges, windowNameOf, windowNote } from '../../url/windows.ts';
import { useSetLinks } from './use-set-links.ts';

graphql`
  fragment setSummary_set on PrivateSet {
    members: validators(first: 1) @include(if: $onSummary) {
      totalCount
    }
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
      ...makeup_summary @relay(mask: false)
    }
  }
`;

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;

const effectColumns = effectivenessColumns();
const NONE = 'No day of these validators is stored in this range.';

/** What a set is and has done: its figures, rewards, clients and relays. */
export function Summary({ set }: { set: PrivateSet }) {
  const [search] = useSearchParams();
  const { rest } = useSetLinks(set);
  const { summary, members } = set;
  const earned = set.rewards?.nodes ?? [];
  const isUtc = setCalendars.read(search) === 'utc';
  const window = windowNameOf(search, entityRanges, isUtc);
  const note = windowNote(search, entityRanges);
  return (
    <>
      <Tiles>
        <Tile label="Validators" note="in the set now">
          {count(members?.totalCount)}
        </Tile>
        <Tile label="Stake" unit="ETH" exact={eth(summary?.sumEndEpochEffectiveBalance)}>
          {shortEth(summary?.sumEndEpochEffectiveBalance)}
        </Tile>
        <Tile label="Share of the network" note="of the effective balance">
          {stakeShare(summary?.networkPenetration)}
        </Tile>
        <SumTile label="Rewards" rows={earned} of={({ sumRewards }) => sumRewards} />
        <Tile label="Effectiveness" note={`mean, ${window}`}>
          {percentage(measured(summary, summary?.avgValidatorEffectiveness))}
        </Tile>
        <Tile label="APR" note={`a year, from ${window}`}>
          {percentage(summary?.aprPercentage)}
        </Tile>
      </Tiles>
      {note && <p className="hint">The effectiveness and the APR above are {note}.</p>}
      <div className="figures">
        <Figure
          title="Rewards"
          rest={rest('rewards')}
          note="What its validators earned on both layers, in ETH."
          columns={rewardColumns}
          rows={earned}
          draw={rewards[granularities.read(search)]}
          series={rewardKinds}
          empty={NONE}
        />
        <Figure
          title="Effectiveness"
          rest={rest('effectiveness')}
          note="Mean of its validators, in percent."
          columns={effectColumns}
          rows={set.effectiveness?.nodes ?? []}
          draw={effectiveness}
          empty={NONE}
        />
        <FourWindows
          of={set}
          also={isUtc ? 'The plots, the rewards and the report of a month are of UTC days' : undefined}
        />
        <Makeup summary={summary} />
      </div>
    </>
  );
}
