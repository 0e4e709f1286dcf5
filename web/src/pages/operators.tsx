import { useMemo } from 'react';
import { graphql } from 'react-relay';
import { Link, useSearchParams } from 'react-router';
import type { operatorsQuery } from '../__generated__/operatorsQuery.graphql';
import { Figure } from '../figure.tsx';
import { count, eth, percentage, shift, shortCount, shortEth } from '../format.ts';
import { hasPage, idTypeOf, paths } from '../links.ts';
import { useHref } from '../network.ts';
import { classNames, longNameOf, nameOf, OperatorLink, stakeShare, Tags } from '../operator-parts.tsx';
import { type Place, page } from '../page.tsx';
import { Choice, Field, Heading, Pager, Select, Share, Spark } from '../parts.tsx';
import { colors, type Draw } from '../plots.ts';
import type { Column } from '../table.tsx';
import { squarify } from '../treemap.ts';
import { changed, integer, oneOf, orderBy, pageOf, text } from '../url-state.ts';
import { windowNames, windowOf, windows } from '../windows.ts';

const query = graphql`
  query operatorsQuery(
    $network: Network!
    $window: TimeWindow!
    $idType: OperatorIdType!
    $poolType: PoolType!
    $where: OperatorWhere
    $orderBy: OperatorOrder!
    $first: Int
    $after: String
    $last: Int
    $before: String
    $days: Int!
    $drawn: Int!
  ) {
    operators(
      network: $network
      window: $window
      idType: $idType
      poolType: $poolType
      where: $where
      orderBy: $orderBy
      first: $first
      after: $after
      last: $last
      before: $before
    ) {
      totalCount
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
      nodes {
        id
        idType
        operatorId
        displayName
        operatorTags {
          name
        }
        summary {
          validatorCount
          networkPenetration
          avgValidatorEffectiveness
          aprPercentage
          sumEndEpochEffectiveBalance
          asOf {
            epoch
            time
          }
        }
        history(last: $days) {
          nodes {
            id
            date
            avgValidatorEffectiveness
          }
        }
      }
    }
    largest: operators(
      network: $network
      window: $window
      idType: $idType
      poolType: $poolType
      where: $where
      orderBy: { field: NETWORK_PENETRATION, direction: DESC }
      first: $drawn
    ) {
      nodes {
        id
        idType
        operatorId
        displayName
        summary {
          validatorCount
          networkPenetration
          avgValidatorEffectiveness
        }
      }
    }
  }
`;

type Data = operatorsQuery['response'];
type Row = NonNullable<Data['operators']>['nodes'][number];
type Large = NonNullable<Data['largest']>['nodes'][number] & { href?: string | undefined };

const PAGE_SIZE = 20;
const TREND_DAYS = 30;
const DRAWN = 40;

const classes = oneOf(
  'class',
  ['pool', 'node-operator', 'pool-share', 'deposit-address', 'withdrawal-address'],
  'pool',
);
const poolTypes = oneOf('type', ['all', 'lst', 'cex'], 'all');
const poolTypeNames = { all: 'All', lst: 'Liquid staking', cex: 'Exchanges' };
const name = text('name');
const tag = text('tag');
const least = integer('min');
const filters = [name, tag, least, poolTypes];
const order = orderBy(
  ['NETWORK_PENETRATION', 'VALIDATOR_COUNT', 'AVG_VALIDATOR_EFFECTIVENESS', 'APR_PERCENTAGE', 'OPERATOR_ID'],
  'NETWORK_PENETRATION',
);

/** The server has no search by name among addresses. */
const hasNames = (slug: string) => !slug.endsWith('address');

function variables({ network, search }: Place): operatorsQuery['variables'] {
  const slug = classes.read(search);
  const where = {
    ...(hasNames(slug) && name.read(search) !== '' && { name: name.read(search) }),
    ...(tag.read(search) !== '' && { tags: [tag.read(search)] }),
    ...(least.read(search) !== undefined && { minValidators: least.read(search) }),
  };
  return {
    network,
    window: windowOf(search),
    idType: idTypeOf(slug),
    poolType: slug === 'pool' ? (poolTypes.read(search).toUpperCase() as 'ALL') : 'ALL',
    where: Object.keys(where).length > 0 ? where : null,
    orderBy: order.read(search),
    ...pageOf(search, PAGE_SIZE),
    days: TREND_DAYS,
    drawn: DRAWN,
  };
}

const trendOf = (row: Row) =>
  row.history?.nodes.map(({ avgValidatorEffectiveness }) => avgValidatorEffectiveness) ?? [];

const shareColumn = <R extends Pick<Large, 'summary'>>(largest: number): Column<R> => ({
  head: 'Share of stake',
  csv: 'Share of stake (0–1)',
  value: ({ summary }) => summary?.networkPenetration,
  show: ({ summary }) => (
    <Share
      value={summary?.networkPenetration ?? 0}
      of={largest || 1}
      text={stakeShare(summary?.networkPenetration)}
    />
  ),
  numeric: true,
  order: 'NETWORK_PENETRATION',
});

const validatorsColumn: Column<Pick<Large, 'summary'>> = {
  head: 'Validators',
  value: ({ summary }) => summary?.validatorCount,
  show: ({ summary }) => count(summary?.validatorCount),
  numeric: true,
  order: 'VALIDATOR_COUNT',
};

const effectivenessColumn: Column<Pick<Large, 'summary'>> = {
  head: 'Effectiveness',
  csv: 'Effectiveness (%)',
  value: ({ summary }) => summary?.avgValidatorEffectiveness,
  show: ({ summary }) => percentage(summary?.avgValidatorEffectiveness),
  numeric: true,
  order: 'AVG_VALIDATOR_EFFECTIVENESS',
};

const columnsWith = (largest: number): Column<Row>[] => [
  {
    head: 'Operator',
    value: ({ operatorId }) => operatorId,
    show: (row) => (
      <span className="named">
        <OperatorLink operator={row} />
        {row.operatorTags.length > 0 && <Tags names={row.operatorTags.map((one) => one.name)} />}
      </span>
    ),
    order: 'OPERATOR_ID',
  },
  shareColumn(largest),
  validatorsColumn,
  effectivenessColumn,
  {
    head: `${TREND_DAYS} days`,
    csv: `Effectiveness of ${TREND_DAYS} days (%), oldest first`,
    value: (row) => trendOf(row).join(' '),
    show: (row) => (
      <Spark values={trendOf(row)} label={`Effectiveness of ${nameOf(row)} in ${TREND_DAYS} days`} />
    ),
  },
  {
    head: 'APR',
    csv: 'APR (%)',
    value: ({ summary }) => summary?.aprPercentage,
    show: ({ summary }) => percentage(summary?.aprPercentage),
    numeric: true,
    order: 'APR_PERCENTAGE',
  },
  {
    head: 'Stake',
    csv: 'Stake (ETH)',
    value: ({ summary }) =>
      summary?.sumEndEpochEffectiveBalance == null ? null : shift(summary.sumEndEpochEffectiveBalance, 9),
    show: ({ summary }) => (
      <span title={eth(summary?.sumEndEpochEffectiveBalance)}>
        {shortEth(summary?.sumEndEpochEffectiveBalance)} ETH
      </span>
    ),
    numeric: true,
  },
];

const about = (row: Large) =>
  [
    longNameOf(row),
    `${stakeShare(row.summary?.networkPenetration)} of the stake`,
    `${count(row.summary?.validatorCount)} validators`,
    `${percentage(row.summary?.avgValidatorEffectiveness)} effectiveness`,
  ].join('\n');

/** The words that all names begin with, which would leave no room for the others. */
function commonWords([first = '', ...others]: readonly string[]): string {
  const words = first.split(' ');
  const starts = words.map((_, index) =>
    words
      .slice(0, index)
      .map((word) => `${word} `)
      .join(''),
  );
  return (
    starts.findLast((start) => others.length > 0 && others.every((name) => name.startsWith(start))) ?? ''
  );
}

const ROOM = { width: 56, height: 34, letter: 7 };
const shareOf = ({ summary }: Large) => summary?.networkPenetration ?? 0;

const treemap: Draw<Large> = (plot, rows, width) => {
  const height = Math.round(Math.min(380, Math.max(260, width * 0.6)));
  const rest = 1 - rows.reduce((sum, row) => sum + shareOf(row), 0);
  const items = [
    ...rows.map((row) => ({ item: row as Large | undefined, value: shareOf(row) })),
    { item: undefined, value: Math.max(0, rest) },
  ].sort((a, b) => b.value - a.value);
  const boxes = squarify(items, width, height);
  const most = Math.max(...rows.map(shareOf));
  const begin = commonWords(rows.map(nameOf));
  type Box = (typeof boxes)[number];
  const named = boxes.filter(({ x1, x2, y1, y2 }) => x2 - x1 > ROOM.width && y2 - y1 > ROOM.height);
  const label = ({ item, x1, x2 }: Box) => {
    const letters = Math.floor((x2 - x1 - 12) / ROOM.letter);
    const full = item ? nameOf(item).slice(begin.length) : 'All other stake';
    const shown = full.length > letters ? `${full.slice(0, letters - 1)}…` : full;
    return `${shown}\n${stakeShare(item ? shareOf(item) : rest)}`;
  };
  const sides = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', inset: 1, rx: 4 } as const;
  return {
    height,
    margin: 0,
    x: { axis: null, domain: [0, width], range: [0, width] },
    y: { axis: null, domain: [0, height], range: [0, height] },
    opacity: { type: 'identity' },
    marks: [
      plot.rect(
        boxes.filter(({ item }) => !item),
        { ...sides, fill: 'var(--raised)' },
      ),
      plot.rect(
        boxes.filter(({ item }) => item),
        {
          ...sides,
          fill: colors[0],
          fillOpacity: ({ item }: Box) => 0.16 + 0.3 * Math.sqrt(shareOf(item as Large) / most),
          href: ({ item }: Box) => item?.href,
          title: ({ item }: Box) => about(item as Large),
          ariaLabel: ({ item }: Box) => about(item as Large).replaceAll('\n', ', '),
        },
      ),
      plot.text(named, {
        x: 'x1',
        y: 'y1',
        dx: 8,
        dy: 8,
        textAnchor: 'start',
        lineAnchor: 'top',
        lineHeight: 1.25,
        text: label,
        pointerEvents: 'none',
      }),
    ],
  };
};

const dots: Draw<Large> = (plot, rows, width) => {
  const drawn = rows.filter(({ summary }) => summary && summary.validatorCount > 0);
  const x = ({ summary }: Large) => summary?.validatorCount;
  const y = ({ summary }: Large) => summary?.avgValidatorEffectiveness;
  return {
    height: 300,
    marginLeft: 52,
    x: {
      type: 'log',
      label: 'Validators',
      ticks: Math.floor(width / 90),
      tickFormat: shortCount,
      nice: true,
    },
    y: {
      label: 'Effectiveness',
      grid: true,
      nice: true,
      ticks: 5,
      tickFormat: (value: number) => percentage(value, 1),
    },
    r: { range: [4, 18] },
    marks: [
      plot.dot(drawn, {
        x,
        y,
        r: shareOf,
        fill: colors[0],
        fillOpacity: 0.35,
        stroke: colors[0],
        href: 'href',
        ariaLabel: (row: Large) => about(row).replaceAll('\n', ', '),
      }),
      plot.tip(drawn, plot.pointer({ x, y, title: about, lineHeight: 1.3, pointerEvents: 'none' })),
    ],
  };
};

const largeColumns = (largest: number): Column<Large>[] => [
  { head: 'Operator', value: ({ operatorId }) => operatorId, show: (row) => <OperatorLink operator={row} /> },
  shareColumn(largest),
  validatorsColumn,
  effectivenessColumn,
];

function Filters() {
  const [search] = useSearchParams();
  const slug = classes.read(search);
  const set = filters.some((one) => search.has(one.name));
  const none = Object.fromEntries(filters.map((one) => [one.name, undefined]));
  return (
    <search className="filters">
      <Select param={classes} label="Class" names={classNames} />
      {slug === 'pool' && <Choice param={poolTypes} label="Type of pool" names={poolTypeNames} />}
      {hasNames(slug) && <Field param={name} label="Name" type="search" />}
      <Field param={tag} label="Tag" type="search" />
      <Field param={least} label="Validators, at least" type="number" />
      {set && (
        <Link to={`?${changed(search, none)}`} preventScrollReset>
          Remove filters
        </Link>
      )}
    </search>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { operators, largest } = data;
  const suffix = useHref()('');
  const rows = operators?.nodes ?? [];
  const nodes = largest?.nodes;
  const drawn = useMemo(
    () =>
      (nodes ?? []).map((node): Large => {
        const path = paths.operator(node.idType, node.operatorId);
        return { ...node, href: hasPage(path) ? path + suffix : undefined };
      }),
    [nodes, suffix],
  );
  const most = Math.max(0, ...drawn.map(shareOf));
  const title = classNames[classes.read(place.search)];
  const empty = 'No operator matches. Change the filters, the class, or the network.';
  return (
    <>
      <Heading title="Operators" asOf={rows[0]?.summary?.asOf}>
        <Choice param={windows} label="Window of the figures" names={windowNames} />
      </Heading>
      <Filters />
      <div className="split">
        <Figure
          title={title}
          note="Shares are of the effective balance of all active validators; trends are the effectiveness in the window, by day."
          columns={columnsWith(most)}
          rows={rows}
          order={order}
          empty={empty}
        >
          {operators && rows.length > 0 && (
            <Pager info={operators.pageInfo} total={operators.totalCount} label="operators" />
          )}
        </Figure>
        <div>
          <Figure
            title="Share of stake"
            note={`The ${DRAWN} largest of the list, as parts of the stake of the network.`}
            columns={largeColumns(most)}
            rows={drawn}
            draw={treemap}
            empty={empty}
          />
          <Figure
            title="Effectiveness against size"
            note={`The ${DRAWN} largest of the list; areas are shares of stake. Click one to open it.`}
            columns={largeColumns(most)}
            rows={drawn}
            draw={dots}
            empty={empty}
          />
        </div>
      </div>
    </>
  );
}

export default page<operatorsQuery>({ query, variables, View });
