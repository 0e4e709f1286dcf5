import { type ReactNode, useState } from 'react';
import { graphql } from 'react-relay';
import type { blocksQuery } from '../__generated__/blocksQuery.graphql';
import type { blocksSubscription } from '../__generated__/blocksSubscription.graphql';
import { useLive } from '../api/live.ts';
import { outcomes } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import { colors, type Draw, ofZeros, ticksAs } from '../figures/plots.ts';
import { wholeOfPage } from '../figures/whole-list.tsx';
import { type Place, page, useSource } from '../page.tsx';
import { Choice, Field } from '../parts/controls.tsx';
import { Filters, sizes, unknownOperator } from '../parts/filters.tsx';
import { eth, moment, plotted, shortCount } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveNote } from '../parts/live-note.tsx';
import { OperatorFilter } from '../parts/operator-filter.tsx';
import { RangeControl } from '../parts/range.tsx';
import { ranges, toDate } from '../url/range.ts';
import { type Block, type Blocks, columns, type Data } from './blocks/blocks-columns.tsx';
import {
  outcome,
  outcomeNames,
  payload,
  payloadNames,
  proposer,
  variables,
  whereOf,
} from './blocks/blocks-variables.ts';

const query = graphql`
  query blocksQuery(
    $network: Network!
    $where: BlockWhere!
    $operatorId: String!
    $operatorClass: OperatorIdType!
    $hasOperator: Boolean!
    $fromDate: Date
    $toDate: Date
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    operator(network: $network, operatorId: $operatorId, idType: $operatorClass) @include(if: $hasOperator) {
      id
    }
    blocks(
      network: $network
      where: $where
      fromDate: $fromDate
      toDate: $toDate
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      nodes {
        id
        ...blocks_row @relay(mask: false)
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
    }
  }
`;

graphql`
  fragment blocks_row on Block {
    consensusSlot
    epoch
    blockTimestamp
    consensusOutcome
    validatorIndex
    consensusRewards
    executionRewards
    totalRewards
    totalTransactions
    relays
    payload {
      status
    }
    proposer {
      id
      validatorPubkey
      operators {
        id
        idType
        operatorId
        displayName
      }
    }
  }
`;

const newBlocks = graphql`
  subscription blocksSubscription($network: Network!, $after: Int) {
    blockAdded(network: $network, after: $after) {
      revision
      omitted
      blocks {
        id
        ...blocks_row @relay(mask: false)
      }
    }
  }
`;

const kinds = [
  { label: 'Consensus', color: colors[0], value: (row: Block) => plotted(row.consensusRewards) },
  { label: 'Execution', color: colors[1], value: (row: Block) => plotted(row.executionRewards) },
];
const missing = { label: 'Missed or orphaned', color: colors[4] };

/** A bar for each slot of the page, whose width does not depend on the slots between. */
const rewards: Draw<Block> = (plot, rows, width) => {
  const shown = rows.toSorted((one, other) => one.consensusSlot - other.consensusSlot);
  const slot = ({ consensusSlot }: Block) => String(consensusSlot);
  const parts = shown.flatMap((row) =>
    kinds.map(({ value, color }) => ({ slot: slot(row), value: value(row) ?? 0, color })),
  );
  const lost = shown.filter(({ consensusOutcome }) => consensusOutcome !== 'PROPOSED');
  const every = Math.ceil(shown.length / Math.max(2, Math.floor(width / 90)));
  return {
    x: {
      type: 'band',
      label: null,
      domain: shown.map(slot),
      ticks: shown.filter((_, index) => index % every === 0).map(slot),
      padding: 0.15,
    },
    y: {
      label: 'ETH',
      grid: true,
      nice: true,
      ticks: 5,
      tickFormat: ticksAs(shortCount),
      ...ofZeros(parts.map(({ value }) => value)),
    },
    marks: [
      plot.barY(parts, { x: 'slot', y: 'value', fill: 'color' }),
      plot.ruleX(lost, { x: slot, stroke: missing.color, strokeDasharray: '3,3', strokeWidth: 2 }),
      plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.4 }),
      plot.tip(
        shown,
        plot.pointerX({
          x: slot,
          y: (row: Block) => plotted(row.totalRewards) ?? 0,
          lineHeight: 1.3,
          title: (row: Block) =>
            [
              `Slot ${row.consensusSlot}, ${outcomes[row.consensusOutcome]}`,
              `${moment(row.blockTimestamp)} UTC`,
              `Consensus ${eth(row.consensusRewards)}`,
              `Execution ${eth(row.executionRewards)}`,
            ].join('\n'),
        }),
      ),
    ],
  };
};

/** Whether a new block belongs to the list; the server decides it for all others. */
function belongs(block: Block, search: URLSearchParams): boolean {
  const { outcome: only, payload: asked, proposer: by, operator } = whereOf(search);
  const { proposer: of } = block;
  const isOf = by && ('index' in by ? by.index === block.validatorIndex : by.pubkey === of?.validatorPubkey);
  const has = (idType: string, operatorId: string) =>
    of?.operators.some((one) => one.idType === idType && one.operatorId === operatorId);
  return (
    (!only || only === block.consensusOutcome) &&
    (!asked || asked === block.payload?.status) &&
    (!by || isOf === true) &&
    (!operator || has(operator.idType, operator.operatorId) === true)
  );
}

const MOST_ADDED = 500;

/** One row for each id, the newest slot first. */
const newestOf = (blocks: readonly Block[]) =>
  [...new Map(blocks.toReversed().map((block) => [block.id, block])).values()].sort(
    (one, other) => other.consensusSlot - one.consensusSlot,
  );

const legend = [...kinds, missing];

function Figures({
  blocks,
  added = [],
  note,
  place,
  empty = 'No stored slot fits.',
}: {
  blocks: Blocks;
  added?: readonly Block[];
  note: ReactNode;
  place: Place;
  empty?: string | undefined;
}) {
  const whole = wholeOfPage<blocksQuery, Block>(query, variables(place), (all) => all.blocks);
  const rows = newestOf([...added, ...blocks.nodes]);
  return (
    <div className="figures">
      <Figure
        title="Rewards by slot"
        note="What the proposers of these slots earned, in ETH."
        wide
        columns={columns}
        rows={rows}
        draw={rewards}
        series={legend}
        empty={empty}
      />
      <PagedFigure
        title="Slots"
        wide
        note={note}
        columns={columns}
        of={{ ...blocks, nodes: rows, totalCount: blocks.totalCount + rows.length - blocks.nodes.length }}
        whole={whole}
        label="slots"
        empty={empty}
      />
    </div>
  );
}

/** The newest page, with the slots that come while it is open. */
function LiveFigures(props: { blocks: Blocks; place: Place; empty: string | undefined }) {
  const { blocks, empty } = props;
  const { network, search } = props.place;
  const [added, setAdded] = useState<readonly Block[]>([]);
  const live = useLive<blocksSubscription>({
    subscription: newBlocks,
    variables: { network },
    dataset: 'blocks',
    revisionOf: ({ blockAdded }) => blockAdded?.revision,
    onEvent: ({ blockAdded }, reload) => {
      const fitting = (blockAdded?.blocks ?? []).filter((block) => belongs(block, search));
      if (fitting.length === 0 && !blockAdded?.omitted) return;
      setAdded((before) => newestOf([...fitting, ...before]));
      if (blockAdded?.omitted || added.length >= MOST_ADDED) reload();
    },
  });
  const isEverySlot = Object.keys(whereOf(search)).length === 0;
  const newest = isEverySlot ? newestOf([...added, ...blocks.nodes])[0]?.blockTimestamp : undefined;
  const note = <LiveNote of={live} rows="slots" newest={newest} />;
  return <Figures blocks={blocks} added={added} note={note} place={props.place} empty={empty} />;
}

const range = ranges(['all'], 'all');
const cursors = ['after', 'before'];
const filters = ['outcome', 'payload', 'proposer', 'class', 'operator'];

function View({ data: { blocks, operator }, place }: { data: Data; place: Place }) {
  const { revision } = useSource();
  const { search } = place;
  const empty = unknownOperator(search, operator);
  const canGrow = !cursors.some((name) => search.has(name)) && !toDate.read(search);
  return (
    <>
      <Heading
        title="Blocks"
        about="Stored slots, newest first. A missed slot has no block, but a proposer; since the Gloas fork, a block may be without its payload."
      >
        <RangeControl of={range} dates days="utc" />
      </Heading>
      <Filters names={filters}>
        <Choice param={outcome} label="Outcome" names={outcomeNames} />
        <Choice param={payload} label="Payload" names={payloadNames} />
        <Field param={proposer} label="Proposer" type="search" />
        <OperatorFilter isUnknown={empty !== undefined} />
        <Choice param={sizes} label="Slots a page" />
      </Filters>
      {blocks && canGrow && (
        <LiveFigures key={`${search} ${revision?.blocks}`} blocks={blocks} place={place} empty={empty} />
      )}
      {blocks && !canGrow && (
        <Figures blocks={blocks} note="As of when the page was opened." place={place} empty={empty} />
      )}
    </>
  );
}

export default page<blocksQuery>({ query, variables, View });
