import type { InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { checkBounds } from '../../chain/bounds.ts';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Stored } from '../../db/batch/stored.ts';
import { type Changes, changeRecord } from '../../db/change-columns.ts';
import { asOfField } from '../../graphql/schema/as-of.ts';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { columns, rounded } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import type { Slice } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { parseDate } from '../../kernel/time.ts';
import type { Dates, HistoryRange } from '../../periods/dates.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import type { OperatorKey } from '../operators/loaders.ts';
import { IdType, OperatorTrend } from '../operators/record.ts';
import { Operator, OperatorSummaryType } from '../operators/summary.ts';
import { PrivateSetType } from '../private-sets/graphql.ts';
import { loadSet } from '../private-sets/loaders.ts';
import {
  loadSetHistory,
  loadSetHistoryTotal,
  loadStoredSetHistory,
} from '../private-sets/summary-loaders.ts';
import { overviewFigures, SolanaNetworkOverviewType } from '../solana-overview/graphql.ts';
import type { StakeAuthorityKey } from '../stake-authorities/loaders.ts';
import { StakeAuthorityTrend } from '../stake-authorities/record.ts';
import { StakeAuthority, StakeAuthoritySummaryType } from '../stake-authorities/summary.ts';
import {
  loadOperatorHistory,
  loadOperatorHistoryTotal,
  loadSolanaHistory,
  loadSolanaHistoryTotal,
  loadStakeAuthorityHistory,
  loadStakeAuthorityHistoryTotal,
  loadStoredOperatorDates,
  loadStoredSolanaDates,
  loadStoredStakeAuthorityDates,
} from './loaders.ts';

import { OperatorHistory, SolanaHistory, StakeAuthorityHistory } from './record.ts';

type OperatorRecord = OperatorHistory & { key: OperatorKey };
type StakeAuthorityRecord = StakeAuthorityHistory & { key: StakeAuthorityKey };

const ratios = {
  aggregateValidatorEffectiveness: true,
  delegatorApy: true,
  networkPenetration: true,
} as const;

const byDate = ' by date, by default newest first, of each day on which they were published.';

const isDate = (text: string | undefined): text is string =>
  text !== undefined && parseDate(text) !== undefined;
const oneDay = (date: string): HistoryRange => ({
  limit: 1,
  rowsOnly: true,
  ascending: true,
  fromDate: date,
  toDate: date,
});

type History<Row> = {
  read: (range: HistoryRange) => Promise<Slice<Row>>;
  total: (dates: Dates) => Promise<number>;
  stored: () => Promise<Stored>;
};

/** Does not check ownership. */
const historyOfSet = (ctx: Context, key: OperatorKey): History<OperatorHistory> => ({
  read: (range) => loadSetHistory(ctx, key, key.timeWindow, range),
  total: (dates) => loadSetHistoryTotal(ctx, key, key.timeWindow, dates),
  stored: () => loadStoredSetHistory(ctx, key, key.timeWindow),
});

/** A private set of another account gets the history of an operator, of which there is none. */
async function historyOf(ctx: Context, key: OperatorKey): Promise<History<OperatorHistory>> {
  if (key.idType === 'privateSet' && (await loadSet(ctx, key.id))?.network === key.network)
    return historyOfSet(ctx, key);
  return {
    read: (range) => loadOperatorHistory(ctx, key, range),
    total: (dates) => loadOperatorHistoryTotal(ctx, key, dates),
    stored: () => loadStoredOperatorDates(ctx, key),
  };
}

const OperatorHistoryRecord = builder.objectRef<OperatorRecord>('OperatorHistoryRecord');
node(OperatorHistoryRecord, {
  description: 'Figures of an operator or a private set in a window as they were on a day.',
  id: ({ key, date }) => [key.network, key.timeWindow, key.idType, date, key.id].join(':'),
  load: async (id, ctx) => {
    const [network, window, idType, date, ...rest] = id.split(':');
    const of = {
      network: Network.safeParse(network).data,
      timeWindow: TimeWindow.safeParse(window).data,
      idType: IdType.safeParse(idType).data,
      id: rest.join(':'),
    };
    if (!of.network || !of.timeWindow || !of.idType || !of.id || !isDate(date)) return null;
    const key = of as OperatorKey;
    if (!hasHistory(key.timeWindow)) return null;
    const [row] = (await (await historyOf(ctx, key)).read(oneDay(date))).rows;
    return row && { ...row, key };
  },
  fields: (t) => ({
    window: t.field({
      type: TimeWindowEnum,
      description: 'Window of the figures.',
      resolve: ({ key }) => key.timeWindow,
    }),
    ...columns(t, OperatorHistory.omit({ asOf: true })),
    asOf: asOfField(t, ({ key, asOf }) => ({ network: key.network, epoch: asOf })),
  }),
});

const StakeAuthorityHistoryRecord = builder.objectRef<StakeAuthorityRecord>('StakeAuthorityHistoryRecord');
node(StakeAuthorityHistoryRecord, {
  description: 'Figures of a stake authority in a window as they were on a day.',
  id: ({ key, date }) => [key.timeWindow, date, key.stakeAuthority].join(':'),
  load: async (id, ctx) => {
    const [window, date, stakeAuthority] = id.split(':');
    const timeWindow = TimeWindow.safeParse(window).data;
    if (!timeWindow || !stakeAuthority || !isDate(date)) return null;
    const key = { timeWindow, stakeAuthority };
    const [row] = (await loadStakeAuthorityHistory(ctx, key, oneDay(date))).rows;
    return row && { ...row, key };
  },
  fields: (t) => ({
    window: t.field({
      type: TimeWindowEnum,
      description: 'Window of the figures.',
      resolve: ({ key }) => key.timeWindow,
    }),
    ...columns(t, StakeAuthorityHistory.omit({ asOf: true, ...ratios })),
    ...rounded(t, StakeAuthorityHistory.pick(ratios)),
    asOf: asOfField(t, ({ asOf }) => asOf),
  }),
});

const SolanaHistoryRecord = builder.objectRef<SolanaHistory>('SolanaNetworkHistoryRecord');
node(SolanaHistoryRecord, {
  description: 'Statistics of Solana over a time window as they were on a day.',
  id: ({ timeWindow, date }) => `${timeWindow}:${date}`,
  load: async (id, ctx) => {
    const [window, date, ...rest] = id.split(':');
    const timeWindow = TimeWindow.safeParse(window).data;
    if (!timeWindow || !isDate(date) || rest.length > 0) return null;
    return (await loadSolanaHistory(ctx, timeWindow, oneDay(date))).rows[0];
  },
  fields: (t) => ({
    window: t.expose('timeWindow', { type: TimeWindowEnum, description: 'Window of the figures.' }),
    ...columns(t, SolanaHistory.pick({ date: true })),
    ...overviewFigures(t),
  }),
});

const operatorPages = pagesOf(OperatorHistoryRecord, {
  name: 'OperatorHistory',
  row: 'A day',
  list: 'History of an operator',
  stored: 'date',
});
const stakeAuthorityPages = pagesOf(StakeAuthorityHistoryRecord, {
  name: 'StakeAuthorityHistory',
  row: 'A day',
  list: 'History of a stake authority',
  stored: 'date',
});

const solanaPages = pagesOf(SolanaHistoryRecord, {
  name: 'SolanaNetworkHistory',
  row: 'A day',
  list: 'History of Solana',
  stored: 'date',
});

const hasHistory = (window: TimeWindow): window is keyof Changes => window !== 'all';

function checkWindow(window: TimeWindow): void {
  if (!hasHistory(window))
    throw badArgument('window', `window is ALL; history is stored of ONE_DAY, SEVEN_DAYS and THIRTY_DAYS.`);
}

const windowArgs = builder.args((t) => ({
  window: t.field({
    type: TimeWindowEnum,
    required: true,
    description: 'The window: ONE_DAY, SEVEN_DAYS or THIRTY_DAYS.',
  }),
}));
const HistoryOrder = orderInput('History', ['date'], () => 'The date.');
const dateArgs = builder.args((t) => ({
  fromDate: t.field({ type: 'Date', description: 'First date, inclusive.' }),
  toDate: t.field({ type: 'Date', description: 'Last date, inclusive.' }),
  orderBy: t.field({ type: HistoryOrder, description: 'The order; default: newest first.' }),
}));
const sizes = sizesText(PERIODS_SIZES);
const cost = { operation: 'history' };

type Args = ConnectionArgs & InputShapeFromFields<typeof dateArgs>;

function historyConnection<Row extends { date: string }, Key extends object>(
  args: Args,
  info: GraphQLResolveInfo,
  of: History<Row> & { key: Key },
) {
  const dates = { fromDate: args.fromDate ?? null, toDate: args.toDate ?? null };
  checkBounds(dates, 'argument');
  const ascending = isAscending(args.orderBy);
  const list = `history:${JSON.stringify([of.key, dates, ascending])}`;
  return connectionOf(args, info, {
    ...PERIODS_SIZES,
    cursors: placeCursors(
      list,
      [(date) => isDate(String(date))],
      ({ date }: Row & { key: Key }) => [date],
      (date) => String(date),
    ),
    async read(range) {
      const page = await of.read({ ...range, ...dates, ascending });
      return { ...page, rows: page.rows.map((row) => ({ ...row, key: of.key })) };
    },
    total: () => of.total(dates),
    stored: of.stored,
  });
}

builder.objectField(Operator, 'history', (t) =>
  operatorPages(t, {
    extensions: cost,
    description: `Its figures${byDate} Empty for validators, whose days are stored. ${sizes}`,
    args: { ...windowArgs, ...dateArgs },
    resolve: async ({ network, idType, id }, args, ctx: Context, info) => {
      const key = { network, timeWindow: args.window, idType, id };
      checkWindow(key.timeWindow);
      return historyConnection(args, info, { key, ...(await historyOf(ctx, key)) });
    },
  }),
);

builder.objectField(PrivateSetType, 'history', (t) =>
  operatorPages(t, {
    extensions: cost,
    description: `Its figures in a window as they were at the end of each stored chain day, by default newest first; \`validatorCount\` counts those with duties on the day. A day is left out while its window has a day on which not all validators of the set are summed yet (\`progress\`). ${sizes}`,
    args: { ...windowArgs, ...dateArgs },
    resolve: ({ network, id }, args, ctx: Context, info) => {
      const key = { network, timeWindow: args.window, idType: 'privateSet' as const, id };
      checkWindow(key.timeWindow);
      return historyConnection(args, info, { key, ...historyOfSet(ctx, key) });
    },
  }),
);

builder.objectField(StakeAuthority, 'history', (t) =>
  stakeAuthorityPages(t, {
    extensions: cost,
    description: `Its figures${byDate} ${sizes}`,
    args: { ...windowArgs, ...dateArgs },
    resolve: (row, args, ctx: Context, info) => {
      const key = { timeWindow: args.window, stakeAuthority: row.stakeAuthority };
      checkWindow(key.timeWindow);
      return historyConnection(args, info, {
        key,
        read: (range) => loadStakeAuthorityHistory(ctx, key, range),
        total: (dates) => loadStakeAuthorityHistoryTotal(ctx, key, dates),
        stored: () => loadStoredStakeAuthorityDates(ctx, key),
      });
    },
  }),
);

builder.objectField(SolanaNetworkOverviewType, 'history', (t) =>
  solanaPages(t, {
    extensions: cost,
    description: `The figures of this window${byDate} ${sizes}`,
    args: dateArgs,
    resolve: ({ timeWindow }, args, ctx: Context, info) =>
      historyConnection(args, info, {
        key: { timeWindow },
        read: (range) => loadSolanaHistory(ctx, timeWindow, range),
        total: (dates) => loadSolanaHistoryTotal(ctx, timeWindow, dates),
        stored: () => loadStoredSolanaDates(ctx, { timeWindow }),
      }),
  }),
);

type Change = NonNullable<Changes['7d']>;

const OperatorChange = builder.objectRef<Change>('OperatorChange').implement({
  description: 'How far figures of an operator have changed.',
  fields: (t) => columns(t, changeRecord(OperatorTrend)) as never,
});
const authorityChange = changeRecord(StakeAuthorityTrend);
const StakeAuthorityChange = builder.objectRef<Change>('StakeAuthorityChange').implement({
  description: 'How far figures of a stake authority have changed.',
  fields: (t) =>
    ({
      ...columns(t, authorityChange.omit(ratios as never)),
      ...rounded(t, authorityChange.pick(ratios as never)),
    }) as never,
});

function changeField<Row extends { change?: Changes }>(
  type: ObjectRef<Schema, Row, Row>,
  change: ObjectRef<Schema, Change, Change>,
) {
  builder.objectField(type, 'change', (t) =>
    t.field({
      type: change,
      nullable: true,
      description:
        'Its figures minus its figures in the same window `over` earlier; null when there is no history of that time, as for ALL.',
      args: {
        over: t.arg({ type: TimeWindowEnum, required: true, description: 'How far back to compare.' }),
      },
      resolve: (row, { over }) => (hasHistory(over) ? row.change?.[over] : null),
    }),
  );
}
changeField(OperatorSummaryType, OperatorChange);
changeField(StakeAuthoritySummaryType, StakeAuthorityChange);
