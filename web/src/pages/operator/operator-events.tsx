import { graphql } from 'react-relay';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { gweiColumn, slotColumn, timeColumn, validatorColumn } from '../../figures/columns.tsx';
import { ConsolidationFigure } from '../../figures/consolidation-figure.tsx';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import { SlashingFigure } from '../../figures/slashing-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { count } from '../../parts/format.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import { MISSED, MOVES, SLASHED } from './operator-lists.ts';

graphql`
  fragment operatorEvents_operator on Operator {
    proposalCounts(fromDate: $fromDate, toDate: $toDate) @include(if: $onEvents) {
      proposed
      missed
      orphaned
    }
    consolidations(
      utc: true
      fromDate: $fromDate
      toDate: $toDate
      orderBy: { field: EPOCH, direction: DESC }
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
  }
`;

type Data = operatorQuery['response'];
type Operator = NonNullable<Data['operator']>;
type Missed = NonNullable<Data['missed']>['nodes'][number];

const missedColumns: Column<Missed>[] = [
  slotColumn((row) => row.consensusSlot),
  timeColumn((row) => row.blockTimestamp),
  validatorColumn('Validator', (row) => row.validatorIndex),
  gweiColumn('Missed rewards', (row) => row.missedConsensusRewards),
];

/** What happened to the validators of an operator, the newest first. */
export function Events({ data, operator }: { data: Data; operator: Operator }) {
  const { slashings, missed } = data;
  const { proposalCounts: counts, consolidations } = operator;
  const since = missed?.storedFrom == null ? '' : ` since slot ${missed.storedFrom}`;
  return (
    <>
      <Tiles>
        <Tile label="Slashed validators">{count(slashings?.totalCount ?? 0)}</Tile>
        <Tile
          label="Missed blocks"
          note={
            counts &&
            `of ${count(counts.missed + counts.orphaned + counts.proposed)} slots stored one by one${since}`
          }
        >
          {count(counts?.missed)}
        </Tile>
        <Tile label="Orphaned blocks">{count(counts?.orphaned)}</Tile>
        <Tile label="Consolidations" note="as source or as target">
          {count(consolidations?.totalCount)}
        </Tile>
      </Tiles>
      <div className="figures">
        <SlashingFigure of={slashings} note="Of its validators, newest first." list={SLASHED} />
        <div className="stack">
          <PagedFigure
            title="Missed blocks"
            note={`Slots in which its validators proposed no block, newest first. Slots are stored one by one${since}; earlier ones count in its summary.`}
            columns={missedColumns}
            of={missed}
            label="missed blocks"
            list={MISSED}
            empty="None of its validators missed a slot of this range that is stored."
          />
          <ConsolidationFigure
            of={consolidations}
            note="Of its validators as source or as target, newest first."
            list={MOVES}
          />
        </div>
      </div>
    </>
  );
}
