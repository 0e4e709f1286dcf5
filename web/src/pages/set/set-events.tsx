import { graphql } from 'react-relay';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { countColumn } from '../../figures/columns.tsx';
import { ConsolidationFigure } from '../../figures/consolidation-figure.tsx';
import { Figure } from '../../figures/figure.tsx';
import { periodColumn } from '../../figures/record-figures.ts';
import { SlashingFigure } from '../../figures/slashing-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { count } from '../../parts/format.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';

graphql`
  fragment setEvents_set on PrivateSet {
    slashings(
      fromDate: $fromDate
      toDate: $toDate
      first: $slashedFirst
      after: $slashedAfter
      last: $slashedLast
      before: $slashedBefore
    ) @include(if: $onEvents) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        ...slashingFigure_slashing @relay(mask: false)
      }
    }
    consolidations(
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      first: $movesFirst
      after: $movesAfter
      last: $movesLast
      before: $movesBefore
    ) @include(if: $onEvents) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        ...consolidationFigure_consolidation @relay(mask: false)
      }
    }
    duties: proposals(granularity: ALL, utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 1)
      @include(if: $onEvents) {
      nodes {
        id
        proposerDutyCount
        missedProposalCount
      }
    }
    missed: proposals(
      utc: $utc
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: MISSED_PROPOSAL_COUNT, direction: DESC }
      first: 20
    ) @include(if: $onEvents) {
      nodes {
        id
        date
        startDate
        endDate
        missedProposalCount
        proposerDutyCount
      }
    }
  }
`;

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;
type Day = NonNullable<PrivateSet['missed']>['nodes'][number];

const dayColumns: Column<Day>[] = [
  periodColumn,
  countColumn('Missed', (row) => row.missedProposalCount),
  countColumn('Duties', (row) => row.proposerDutyCount),
];

/** What happened to the validators of a set. */
export function Events({ set }: { set: PrivateSet }) {
  const { network, slashings, consolidations, missed } = set;
  const [all] = set.duties?.nodes ?? [];
  const days = (missed?.nodes ?? []).filter(({ missedProposalCount }) => Number(missedProposalCount) > 0);
  return (
    <>
      <Tiles>
        <Tile label="Slashed validators" note="of those in the set now">
          {count(slashings?.totalCount)}
        </Tile>
        <Tile label="Missed blocks" note={`of ${count(all?.proposerDutyCount ?? 0)} due`}>
          {count(all?.missedProposalCount ?? 0)}
        </Tile>
        <Tile label="Consolidations" note="as source or as target">
          {count(consolidations?.totalCount)}
        </Tile>
      </Tiles>
      <div className="figures">
        <div className="stack">
          <SlashingFigure
            of={slashings}
            note="Of validators that are in the set now, newest first."
            list="slashed"
            network={network}
          />
          <Figure
            title="Missed blocks"
            parts={[missed]}
            note="The 20 days on which its validators missed most of the blocks that they were to propose."
            columns={dayColumns}
            rows={days}
            empty="None of its validators missed a block in this range."
          />
        </div>
        <ConsolidationFigure
          of={consolidations}
          note="Of validators that are in the set now, as source or as target, newest first."
          list="moves"
          network={network}
        />
      </div>
    </>
  );
}
