import { useSearchParams } from 'react-router';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { countColumn } from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { Makeup } from '../../figures/makeup.tsx';
import {
  granularities,
  periodName,
  periodsOf,
  rangeName,
  restQuery,
  startOf,
} from '../../figures/periods.ts';
import { barsOver, colors } from '../../figures/plots.ts';
import {
  attestationColumns,
  attestations,
  effectiveness,
  effectivenessColumns,
  faults,
  ofEach,
  periodColumn,
  rewardColumns,
  rewardKinds,
  rewards,
} from '../../figures/record-figures.ts';
import type { Column } from '../../figures/table.tsx';
import { count, eth, percentage, shortCount, shortEth } from '../../parts/format.ts';
import { stakeShare } from '../../parts/operators.tsx';
import { total } from '../../parts/sums.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { useParam } from '../../url/use-param.ts';

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;
type Rewards = NonNullable<PrivateSet['rewards']>['nodes'][number];
type Attestations = NonNullable<PrivateSet['attestations']>['nodes'][number];
type Proposals = NonNullable<PrivateSet['proposals']>['nodes'][number];

const rewardsAndValidators: Column<Rewards>[] = [
  ...rewardColumns,
  countColumn('Validators', ({ validatorCount }) => validatorCount),
];
const effectColumns = effectivenessColumns();

const outcomes = [
  { label: 'Proposed', color: colors[2], value: (row: Proposals) => Number(row.proposedCount) },
  { label: 'Missed', color: colors[4], value: (row: Proposals) => Number(row.missedProposalCount) },
];

const proposals = ofEach<Proposals>((interval) =>
  barsOver<Proposals>({
    date: startOf,
    series: outcomes,
    label: 'Blocks',
    interval,
    format: shortCount,
    tip: (row) =>
      `${periodName(row)}\n${count(row.proposedCount)} proposed\n${count(row.missedProposalCount)} missed`,
  }),
);

const proposalColumns: Column<Proposals>[] = [
  periodColumn,
  countColumn('Proposed', ({ proposedCount }) => proposedCount),
  countColumn('Missed', ({ missedProposalCount }) => missedProposalCount),
];

const NONE = 'No day of these validators is stored in this range.';

/** The REST path with the same periods. */
function useRest(setId: string) {
  const [search] = useSearchParams();
  return (of: string) => `/v1/eth/sets/${setId}/${of}?${restQuery(periodsOf(search))}`;
}

/** What the validators of a set did in the periods that are shown. */
export function SetFigures({ set }: { set: PrivateSet }) {
  const [granularity] = useParam(granularities);
  const [earned, duties, blocks] = [set.rewards, set.attestations, set.proposals].map(
    (list) => list?.nodes ?? [],
  ) as [readonly Rewards[], readonly Attestations[], readonly Proposals[]];
  const restOf = useRest(set.setId);
  const effective = set.effectiveness?.nodes ?? [];
  const last = effective.at(-1);
  const sum = total(earned, ({ sumRewards }) => sumRewards);
  const missed = total(duties, ({ sumMissedAttestations }) => sumMissedAttestations);
  const proposed = total(blocks, ({ proposedCount }) => proposedCount);
  const [first] = earned;
  const shown = first && earned.at(-1);
  const range = shown ? rangeName(first, shown) : 'no day of it is stored';
  return (
    <>
      <Tiles>
        <Tile label="Validators" note="in the set now">
          {count(set.validators?.totalCount)}
        </Tile>
        <Tile label="Share of the network" note="of the effective balance, on the newest day">
          {stakeShare(set.summary?.networkPenetration)}
        </Tile>
        <Tile label="Rewards" unit="ETH" exact={eth(sum)} note={range}>
          {shortEth(sum)}
        </Tile>
        <Tile label="Effectiveness" note={last ? periodName(last) : range}>
          {percentage(last?.avgValidatorEffectiveness)}
        </Tile>
        <Tile label="Missed attestations" note={range}>
          {count(missed)}
        </Tile>
        <Tile
          label="Blocks proposed"
          note={`${count(total(blocks, ({ missedProposalCount }) => missedProposalCount))} missed`}
        >
          {count(proposed)}
        </Tile>
      </Tiles>
      <div className="figures">
        <Figure
          title="Rewards"
          rest={restOf('rewards')}
          note="What the validators of the set earned on both layers, in ETH."
          columns={rewardsAndValidators}
          rows={earned}
          draw={rewards[granularity]}
          series={rewardKinds}
          empty={NONE}
        />
        <Figure
          title="Effectiveness"
          rest={restOf('effectiveness')}
          note="Mean over the validators of the set, in percent."
          columns={effectColumns}
          rows={effective}
          draw={effectiveness}
          empty={NONE}
        />
        <Figure
          title="Missed and wrong votes"
          rest={restOf('attestations')}
          note="Attestations that were missed, or voted for a wrong head or target."
          columns={attestationColumns}
          rows={duties}
          draw={attestations[granularity]}
          series={faults}
          empty={NONE}
        />
        <Figure
          title="Blocks"
          rest={restOf('proposals')}
          note="Blocks that the validators were to propose."
          columns={proposalColumns}
          rows={blocks}
          draw={proposals[granularity]}
          series={outcomes}
          empty={NONE}
        />
        <Makeup summary={set.summary} />
      </div>
    </>
  );
}
