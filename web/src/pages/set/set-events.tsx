import { graphql } from 'react-relay';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  validatorColumn,
} from '../../figures/columns.tsx';
import { Figure } from '../../figures/figure.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import { periodColumn } from '../../figures/record-figures.ts';
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
        id
        date
        slashingEpoch
        validatorIndex
        slashingPenalties
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
type Slashing = NonNullable<PrivateSet['slashings']>['nodes'][number];
type Day = NonNullable<PrivateSet['missed']>['nodes'][number];

const slashingColumns = (network: PrivateSet['network']): Column<Slashing>[] => [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', (row) => row.slashingEpoch),
  validatorColumn('Validator', (row) => row.validatorIndex, { network }),
  gweiColumn('Penalties', (row) => row.slashingPenalties),
];

const dayColumns: Column<Day>[] = [
  periodColumn,
  countColumn('Missed', (row) => row.missedProposalCount),
  countColumn('Duties', (row) => row.proposerDutyCount),
];

/** What happened to the validators of a set. */
export function Events({ set }: { set: PrivateSet }) {
  const { network, slashings, missed } = set;
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
      </Tiles>
      <div className="figures">
        <PagedFigure
          title="Slashings"
          note="Of validators that are in the set now, newest first."
          columns={slashingColumns(network)}
          of={slashings}
          label="slashings"
          list="slashed"
          empty="None of its validators was slashed in this range."
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
    </>
  );
}
