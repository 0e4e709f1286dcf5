import { graphql } from 'react-relay';
import type { buildersQuery } from '../__generated__/buildersQuery.graphql';
import { countColumn, gweiColumn, numberColumn, ratioColumn } from '../figures/columns.tsx';
import { PagedFigure } from '../figures/paged-figure.tsx';
import type { Column } from '../figures/table.tsx';
import { wholeOfPage } from '../figures/whole-list.tsx';
import { type Place, page } from '../page.tsx';
import { Choice, Field } from '../parts/controls.tsx';
import { Filters, sizes } from '../parts/filters.tsx';
import { shortHex } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { PageLink } from '../parts/page-links.tsx';
import { paths } from '../url/links.ts';
import { oneOf, orderBy, pageOf, param } from '../url/url-state.ts';

const query = graphql`
  query buildersQuery(
    $network: Network!
    $where: BuilderWhere!
    $orderBy: BuilderOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    builders(
      network: $network
      where: $where
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      nodes {
        id
        index
        pubkey
        balance
        withdrawableEpoch
        bidCount
        fullCount
        withheldCount
        paidCount
        sumPaidValue
      }
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
    }
  }
`;

type Data = buildersQuery['response'];
type Builder = NonNullable<Data['builders']>['nodes'][number];

const orders = ['BID_COUNT', 'FULL_COUNT', 'WITHHELD_COUNT', 'SUM_PAID_VALUE', 'BALANCE', 'INDEX'] as const;
const order = orderBy(orders, 'BID_COUNT');
const status = oneOf('status', ['all', 'present', 'left'], 'all');
const statusNames = { all: 'All', present: 'Present', left: 'Left' };
const address = param(
  'address',
  '',
  (given) => (/^(0x)?[0-9a-f]{40}$/i.test(given) ? given : undefined),
  'an address of 40 hex digits',
);

const columns: Column<Builder>[] = [
  numberColumn('Index', ({ index }) => index, 'INDEX'),
  {
    head: 'Public key',
    value: ({ pubkey }) => pubkey,
    show: ({ pubkey }) => <PageLink to={paths.builder(pubkey)}>{shortHex(pubkey)}</PageLink>,
  },
  countColumn('Bids', ({ bidCount }) => bidCount, 'BID_COUNT'),
  countColumn('Full', ({ fullCount }) => fullCount, 'FULL_COUNT'),
  countColumn('Withheld', ({ withheldCount }) => withheldCount, 'WITHHELD_COUNT'),
  ratioColumn('Share withheld', ({ bidCount, withheldCount }) =>
    bidCount === 0 ? null : withheldCount / bidCount,
  ),
  countColumn('Paid', ({ paidCount }) => paidCount),
  gweiColumn('Paid', ({ sumPaidValue }) => sumPaidValue, 'SUM_PAID_VALUE'),
  gweiColumn('Balance', ({ balance }) => balance, 'BALANCE'),
  numberColumn('Left, withdrawable from epoch', ({ withdrawableEpoch }) => withdrawableEpoch),
];

function variables({ network, search }: Place): buildersQuery['variables'] {
  const executionAddress = address.read(search);
  const given = status.read(search);
  return {
    network,
    where: {
      ...(executionAddress && { executionAddress }),
      ...(given !== 'all' && { exited: given === 'left' }),
    },
    orderBy: order.read(search),
    ...pageOf(search, Number(sizes.read(search))),
  };
}

function View({ data: { builders }, place }: { data: Data; place: Place }) {
  const whole = wholeOfPage<buildersQuery, Builder>(query, variables(place), (all) => all.builders);
  return (
    <>
      <Heading
        title="Builders"
        about="Who bids for the payloads of blocks since the Gloas fork, and how many payloads they withheld."
      />
      <Filters names={['status', 'address']}>
        <Choice param={status} label="Status" names={statusNames} />
        <Field param={address} label="Execution address" type="search" />
        <Choice param={sizes} label="Builders a page" />
      </Filters>
      <div className="figures">
        <PagedFigure
          title="Builders"
          wide
          note="Bids in final blocks. A withheld payload is not on the chain; its bid may be paid all the same."
          columns={columns}
          of={builders}
          whole={whole}
          isRanked
          label="builders"
          order={order}
          empty="No builder fits. There are none before the Gloas fork."
        />
      </div>
    </>
  );
}

export default page<buildersQuery>({ query, variables, View });
