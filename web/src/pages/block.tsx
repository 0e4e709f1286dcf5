import type { ReactNode } from 'react';
import { graphql } from 'react-relay';
import type { blockQuery } from '../__generated__/blockQuery.graphql';
import { missing } from '../api/failure.ts';
import { countColumn, gweiColumn, OutcomeText, validatorColumn } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { colors, type Draw } from '../figures/plots.ts';
import type { Column } from '../figures/table.tsx';
import { type Place, page } from '../page.tsx';
import { Facts } from '../parts/facts.tsx';
import { count, eth, momentUtc, ratio, shift, shortCount, shortEth, shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { OperatorLinks } from '../parts/operators.tsx';
import { Neighbours, PageLink } from '../parts/page-links.tsx';
import { Pager } from '../parts/pager.tsx';
import { payloads, payments } from '../parts/payloads.ts';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { paths } from '../url/links.ts';
import { pageOf } from '../url/url-state.ts';

const query = graphql`
  query blockQuery(
    $network: Network!
    $slot: Int!
    $previous: Int!
    $next: Int!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    block(network: $network, slot: $slot) {
      id
      consensusSlot
      epoch
      blockTimestamp
      consensusOutcome
      executionOutcome
      payload {
        status
      }
      bid {
        builder {
          index
          pubkey
        }
        value
        executionPayment
        feeRecipient
        payment
      }
      finalized
      validatorIndex
      consensusBlockRoot
      executionBlockHash
      executionBlockNumber
      feeRecipient
      relays
      blockBuilderPubkeys
      consensusRewards
      executionRewards
      baselineMev
      totalRewards
      totalRewardsMissed
      totalPriorityFees
      totalPriorityFeesValidator
      baseFeePerGas
      totalBurntFees
      totalGasUsed
      totalTransactions
      totalType0Transactions
      totalType1Transactions
      totalType2Transactions
      totalType0TxFees
      totalType1TxFees
      totalType2TxFees
      totalSanctionedTransactions
      proposer {
        id
        operators {
          id
          idType
          operatorId
          displayName
        }
      }
      syncCommitteeRewards(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          id
          validatorIndex
          reward
          validator {
            id
            pool
            nodeOperator
          }
        }
        pageInfo {
          ...pager_pageInfo @relay(mask: false)
        }
      }
    }
    blocks(network: $network, fromSlot: $previous, toSlot: $next, first: 3) {
      nodes {
        id
        consensusSlot
      }
    }
  }
`;

type Data = blockQuery['response'];
type Block = NonNullable<Data['block']>;
type Committee = NonNullable<Block['syncCommitteeRewards']>;
type Seat = Committee['nodes'][number];

const SEATS = 512;
const WEI_DIGITS = 18;

const seatColumns: Column<Seat>[] = [
  validatorColumn('Validator', ({ validatorIndex }) => validatorIndex),
  { head: 'Signature', value: ({ reward }) => (reward.startsWith('-') ? 'missed' : 'included') },
  gweiColumn('Reward', ({ reward }) => reward),
  {
    head: 'Node operator',
    value: ({ validator }) => validator?.nodeOperator,
    show: ({ validator }) =>
      validator?.nodeOperator ? (
        <PageLink to={paths.operator('NODE_OPERATOR', validator.nodeOperator)}>
          {validator.nodeOperator}
        </PageLink>
      ) : (
        '–'
      ),
  },
  {
    head: 'Pool',
    value: ({ validator }) => validator?.pool,
    show: ({ validator }) =>
      validator?.pool ? (
        <PageLink to={paths.operator('POOL', validator.pool)}>{validator.pool}</PageLink>
      ) : (
        '–'
      ),
  },
];

const CELL = 14;
const MOST_ACROSS = 48;
const signed = { label: 'Included', color: colors[2] };
const unsigned = { label: 'Missed', color: colors[4] };

/** A cell for each seat, so that missed signatures stand out. */
const seats: Draw<Seat> = (plot, rows, width) => {
  const across = Math.min(MOST_ACROSS, Math.max(16, Math.floor(width / CELL)));
  const cells = rows.map((row, index) => ({ row, x: index % across, y: Math.floor(index / across) }));
  const down = Math.ceil(rows.length / across);
  const side = width / across;
  return {
    height: Math.max(CELL, Math.round(down * side)),
    marginTop: 0,
    marginRight: 0,
    marginBottom: 0,
    marginLeft: 0,
    x: { type: 'linear', domain: [0, across], axis: null },
    y: { type: 'linear', domain: [down, 0], axis: null },
    marks: [
      plot.rect(cells, {
        x1: 'x',
        x2: ({ x }) => x + 1,
        y1: 'y',
        y2: ({ y }) => y + 1,
        inset: 1,
        rx: 2,
        fill: ({ row }) => (row.reward.startsWith('-') ? unsigned.color : signed.color),
      }),
      plot.tip(
        cells,
        plot.pointer({
          x: ({ x }) => x + 0.5,
          y: ({ y }) => y + 0.5,
          title: ({ row }) => `Validator ${row.validatorIndex}\n${eth(row.reward)}`,
        }),
      ),
    ],
  };
};

type Part = { kind: string; amount: string | null | undefined };

const partColumns: Column<Part>[] = [
  { head: 'Reward', value: ({ kind }) => kind },
  gweiColumn('Amount', ({ amount }) => amount),
];

const partsOf = (block: Block): Part[] => [
  { kind: 'Consensus layer', amount: block.consensusRewards },
  { kind: 'Priority fees', amount: block.totalPriorityFeesValidator },
  { kind: 'MEV', amount: block.baselineMev },
  { kind: 'All', amount: block.totalRewards },
  ...(block.consensusOutcome === 'PROPOSED' ? [] : [{ kind: 'Missed', amount: block.totalRewardsMissed }]),
];

/** What of the response these tables show. */
const rewardParts = [
  'consensusOutcome',
  'consensusRewards',
  'totalPriorityFeesValidator',
  'baselineMev',
  'totalRewards',
  'totalRewardsMissed',
].map((field) => `block.${field}`);
const transactionParts = [0, 1, 2].flatMap((type) => [
  `block.totalType${type}Transactions`,
  `block.totalType${type}TxFees`,
]);

type Transactions = { kind: string; number: number | null | undefined; wei: string | null | undefined };

const gweiOf = (wei: string | null | undefined) => (wei == null ? null : shift(wei, WEI_DIGITS - 9));

const transactionColumns: Column<Transactions>[] = [
  { head: 'Type', value: ({ kind }) => kind },
  countColumn('Number', ({ number }) => number),
  gweiColumn('Fees', ({ wei }) => gweiOf(wei)),
];

const transactionsOf = (block: Block): Transactions[] => [
  { kind: 'Legacy', number: block.totalType0Transactions, wei: block.totalType0TxFees },
  { kind: 'Type 1 (EIP-2930)', number: block.totalType1Transactions, wei: block.totalType1TxFees },
  { kind: 'Type 2 (EIP-1559)', number: block.totalType2Transactions, wei: block.totalType2TxFees },
];

const GAS_UNIT = 'gas';
const inGwei = (wei: string | null | undefined) => (wei == null ? '–' : `${shift(wei, 9)} Gwei`);

/** Facts of blocks since the Gloas fork. */
function payloadFacts({ payload, bid }: Block): [string, ReactNode][] {
  if (!payload || !bid) return [];
  const { builder, payment } = bid;
  const own: [string, ReactNode][] = [
    ['Payload', payloads[payload.status]],
    ['Bid of', builder ? <BidBuilder key="b" builder={builder} /> : 'the proposer itself'],
  ];
  if (!builder) return own;
  return [
    ...own,
    ['Bid', eth(bid.value)],
    ['Payment', payment ? payments[payment] : 'not known yet'],
    ['Paid to', bid.feeRecipient],
    ['Promised in the payload', eth(bid.executionPayment)],
  ];
}

type Bidder = NonNullable<NonNullable<Block['bid']>['builder']>;
const BidBuilder = ({ builder: { index, pubkey } }: { builder: Bidder }) =>
  pubkey ? <PageLink to={paths.builder(pubkey)}>{`builder ${index}`}</PageLink> : `builder ${index}`;

function Sums({ block }: { block: Block }) {
  const { totalRewards, totalRewardsMissed, totalBurntFees, consensusOutcome } = block;
  const burnt = gweiOf(totalBurntFees);
  return (
    <Tiles>
      <Tile label="Outcome" note={block.finalized ? 'final' : 'not final: the chain may still replace it'}>
        <OutcomeText outcome={consensusOutcome} />
      </Tile>
      {consensusOutcome === 'PROPOSED' ? (
        <Tile label="Rewards of the proposer" unit="ETH" exact={eth(totalRewards)}>
          {shortEth(totalRewards)}
        </Tile>
      ) : (
        <Tile label="Missed rewards" unit="ETH" exact={eth(totalRewardsMissed)}>
          {shortEth(totalRewardsMissed)}
        </Tile>
      )}
      <Tile
        label="Transactions"
        note={
          block.totalTransactions != null &&
          `${count(block.totalSanctionedTransactions)} with a sanctioned address`
        }
      >
        {count(block.totalTransactions)}
      </Tile>
      <Tile label="Gas used" unit={GAS_UNIT} exact={`${count(block.totalGasUsed)} gas`}>
        {shortCount(block.totalGasUsed)}
      </Tile>
      <Tile label="Burnt fees" unit="ETH" exact={eth(burnt)}>
        {shortEth(burnt)}
      </Tile>
    </Tiles>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { block } = data;
  const slot = slotOf(place);
  if (!block) throw missing(`Slot ${slot} is not stored on ${place.network.toLowerCase()}.`);
  const committee = block.syncCommitteeRewards;
  const all = committee?.nodes ?? [];
  const missed = all.filter(({ reward }) => reward.startsWith('-')).length;
  const stored = new Set(data.blocks?.nodes.map(({ consensusSlot }) => consensusSlot));
  const near = (other: number, name: string) =>
    stored.has(other) ? { to: paths.block(other), name } : undefined;
  return (
    <>
      <Heading
        title={`Block ${slot}`}
        about={
          <>
            Epoch {block.epoch} ·{' '}
            <time dateTime={block.blockTimestamp}>{momentUtc(block.blockTimestamp)}</time>
          </>
        }
      >
        <Neighbours previous={near(slot - 1, 'Previous slot')} next={near(slot + 1, 'Next slot')} />
      </Heading>
      <Sums block={block} />
      <div className="figures">
        <Facts
          title="Block"
          facts={[
            ['Slot', slot],
            [
              'Proposer',
              <PageLink key="p" to={paths.validator(block.validatorIndex)}>
                {block.validatorIndex}
              </PageLink>,
            ],
            ['Its operators', <OperatorLinks key="o" operators={block.proposer?.operators ?? []} />],
            ['Block root', block.consensusBlockRoot],
            ['Execution block', block.executionBlockNumber],
            ['Execution hash', block.executionBlockHash],
            [
              'Execution outcome',
              block.executionOutcome && <OutcomeText key="e" outcome={block.executionOutcome} />,
            ],
            ...payloadFacts(block),
            ['Fee recipient', block.feeRecipient],
            ['Base fee', inGwei(block.baseFeePerGas)],
            ['Relays', block.relays.join(', ') || 'none'],
            [
              'Builders',
              [...new Set(block.blockBuilderPubkeys)].map((key) => (
                <span key={key} title={key}>
                  {shortHex(key)}{' '}
                </span>
              )),
            ],
          ]}
        />
        <div className="stack">
          <Figure
            title="Rewards of the proposer"
            parts={rewardParts}
            note="What the block paid to it, in ETH."
            columns={partColumns}
            rows={partsOf(block)}
          />
          <Figure
            title="Transactions"
            parts={transactionParts}
            note="By type, with the priority fees that they paid, in ETH."
            columns={transactionColumns}
            rows={block.totalTransactions == null ? [] : transactionsOf(block)}
            empty={
              block.consensusOutcome === 'PROPOSED'
                ? 'A block without its payload has none.'
                : 'A slot without a block has none.'
            }
          />
        </div>
        <Figure
          title="Sync committee"
          wide
          note={
            all.length > 0
              ? `${count(all.length - missed)} of ${count(all.length)} seats signed (${ratio(1 - missed / all.length)}). A validator may hold several seats.`
              : 'What each seat earned, in ETH.'
          }
          columns={seatColumns}
          rows={all}
          draw={seats}
          series={[signed, unsigned]}
          empty={
            block.consensusOutcome === 'PROPOSED'
              ? 'No reward of a sync committee is stored for this slot.'
              : 'A slot without a block has no signatures.'
          }
        >
          {committee && all.length > 0 && (
            <Pager info={committee.pageInfo} total={committee.totalCount} label="seats" />
          )}
        </Figure>
      </div>
    </>
  );
}

const LARGEST = 2 ** 31 - 2;

function slotOf({ params }: Pick<Place, 'params'>): number {
  const given = params.slot ?? '';
  const slot = Number(given);
  if (!/^\d{1,10}$/.test(given) || slot > LARGEST) throw missing(`${given} is not a slot.`);
  return slot;
}

export default page<blockQuery>({
  query,
  variables: (place) => {
    const slot = slotOf(place);
    return {
      network: place.network,
      slot,
      previous: Math.max(0, slot - 1),
      next: slot + 1,
      ...pageOf(place.search, SEATS),
    };
  },
  View,
});
