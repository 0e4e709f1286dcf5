import { graphql } from 'react-relay';
import type { builderQuery } from '../__generated__/builderQuery.graphql';
import { missing } from '../api/failure.ts';
import { gweiColumn, slotColumn, timeColumn, validatorColumn } from '../figures/columns.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import type { Column } from '../figures/table.tsx';
import { type Place, page } from '../page.tsx';
import { Facts } from '../parts/facts.tsx';
import { count, eth, shortEth, shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { payloads, payments } from '../parts/payloads.ts';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { pageOf } from '../url/url-state.ts';

const query = graphql`
  query builderQuery(
    $network: Network!
    $pubkey: String!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    builder(network: $network, pubkey: $pubkey) {
      id
      index
      pubkey
      executionAddress
      balance
      depositEpoch
      withdrawableEpoch
      bidCount
      fullCount
      withheldCount
      paidCount
      sumBidValue
      sumPaidValue
      blocks(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        nodes {
          id
          consensusSlot
          blockTimestamp
          validatorIndex
          payload {
            status
          }
          bid {
            value
            payment
          }
        }
        pageInfo {
          ...pager_pageInfo @relay(mask: false)
        }
      }
    }
  }
`;

type Data = builderQuery['response'];
type Block = NonNullable<NonNullable<Data['builder']>['blocks']>['nodes'][number];

const PAGE_SIZE = 50;

const columns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  validatorColumn('Proposer', ({ validatorIndex }) => validatorIndex),
  { head: 'Payload', value: ({ payload }) => payload && payloads[payload.status] },
  gweiColumn('Bid', ({ bid }) => bid?.value),
  { head: 'Payment', value: ({ bid }) => bid?.payment && payments[bid.payment] },
];

function View({ data: { builder }, place }: { data: Data; place: Place }) {
  if (!builder) throw missing(`This builder is not stored on ${place.network.toLowerCase()}.`);
  return (
    <>
      <Heading title={`Builder ${builder.index}`} about={shortHex(builder.pubkey)} />
      <Tiles>
        <Tile label="Bids" note="in final blocks">
          {count(builder.bidCount)}
        </Tile>
        <Tile label="Full" note="payload on the chain">
          {count(builder.fullCount)}
        </Tile>
        <Tile label="Withheld" note="payload not on the chain">
          {count(builder.withheldCount)}
        </Tile>
        <Tile
          label="Paid"
          unit="ETH"
          exact={eth(builder.sumPaidValue)}
          note={`for ${count(builder.paidCount)} bids`}
        >
          {shortEth(builder.sumPaidValue)}
        </Tile>
        <Tile label="Balance" unit="ETH" exact={eth(builder.balance)}>
          {shortEth(builder.balance)}
        </Tile>
      </Tiles>
      <div className="figures">
        <Facts
          title="Builder"
          facts={[
            ['Public key', builder.pubkey],
            ['Execution address', builder.executionAddress],
            ['Deposited in epoch', builder.depositEpoch],
            ['Left, withdrawable from epoch', builder.withdrawableEpoch],
            ['All bids', eth(builder.sumBidValue)],
          ]}
        />
        <PagedFigure
          title="Blocks with its bid"
          wide
          note="Stored blocks, newest first."
          columns={columns}
          of={builder.blocks}
          label="slots"
          empty="No block with its bid is stored."
        />
      </div>
    </>
  );
}

function pubkeyOf({ params }: Pick<Place, 'params'>): string {
  const pubkey = params.pubkey ?? '';
  if (!/^(0x)?[0-9a-f]{96}$/i.test(pubkey)) throw missing(`${pubkey} is not the public key of a builder.`);
  return pubkey;
}

export default page<builderQuery>({
  query,
  variables: (place) => ({
    network: place.network,
    pubkey: pubkeyOf(place),
    ...pageOf(place.search, PAGE_SIZE),
  }),
  View,
});
