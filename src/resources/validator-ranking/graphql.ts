import type { InputShapeFromFields } from '@pothos/core';
import { datesWithin } from '../../chain/bounds.ts';
import { dateOfDay, dayOfDate } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { checkSizes, connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import type { Reads } from '../../graphql/schema/field-cost.ts';
import { orderInput, orderOf } from '../../graphql/schema/order.ts';
import { rangeArgs, rangeOf } from '../../graphql/schema/range.ts';
import { whereFault } from '../../graphql/schema/where.ts';
import { badArgument, badInput, collectFaults } from '../../kernel/refusal.ts';
import { parseDate } from '../../kernel/time.ts';
import { OperatorBy, readOperatorBy } from '../operators/operator-by.ts';
import { sizeOfNamed } from '../operators/reads.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { loadRankingDates } from './loaders.ts';
import { RankedValidator, type RankingField, rankingFields } from './record.ts';
import {
  lookedUp,
  RANKING_SIZES,
  type RankedRow,
  type RankingList,
  ranking,
  rankingCursors,
  scannedRows,
} from './resolve.ts';

const RankedValidatorType = builder.objectRef<RankedRow>('RankedValidator').implement({
  description: `${RankedValidator.description} Not a Node: its rank and figures belong to the arguments of its list.`,
  fields: (t) => ({
    ...columns(t, RankedValidator),
    validator: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The validator; null when only days of it are stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
  }),
});

const rankingPages = pagesOf(RankedValidatorType, {
  name: 'RankedValidator',
  row: 'A validator in a ranking',
  list: 'A ranking of validators',
  stored: 'date',
});

const orderTexts: Record<RankingField, string> = {
  effectiveness: 'The mean effectiveness; validators without attestation duties come last.',
  rewards: 'The rewards less penalties.',
  missed: 'The missed attestations.',
};
const RankingOrder = orderInput('ValidatorRanking', rankingFields, (field) => orderTexts[field]);

const RankingWhere = builder.inputType('ValidatorRankingWhere', {
  description: 'Which validators are ranked: those that match all fields given.',
  fields: (t) => ({
    operator: t.field({
      type: OperatorBy,
      description: 'An operator that the validator belongs to today, such as its withdrawal address.',
    }),
    indices: t.intList({
      description: `These validators, at most ${RANKING_SIZES.maxSize}; those without a day in the range are left out.`,
    }),
  }),
});

function readIndices(indices: readonly number[] | null | undefined): readonly number[] | null {
  if (indices == null) return null;
  if (indices.length > RANKING_SIZES.maxSize)
    throw badInput([
      whereFault('indices', `has ${indices.length} entries; at most ${RANKING_SIZES.maxSize} are accepted`),
    ]);
  const negative = indices.find((index) => index < 0);
  if (negative !== undefined)
    throw badInput([whereFault('indices', `has ${negative}; integers >= 0 are needed`)]);
  return [...new Set(indices)].sort((a, b) => a - b);
}

const MOST_DAYS = 10_000;

function readDays(args: InputShapeFromFields<typeof rangeArgs> & { days?: number | null | undefined }) {
  const { days } = args;
  if (days == null) return undefined;
  if (days < 1 || days > MOST_DAYS)
    throw badArgument('days', `days is ${days}; an integer from 1 to ${MOST_DAYS} is needed.`);
  const bound = (['fromDate', 'toDate', 'fromDay', 'toDay'] as const).find((name) => args[name] != null);
  if (bound)
    throw badArgument(
      'days',
      `days is ${days} and ${bound} is ${args[bound]}; give only one of them.`,
      'conflict',
    );
  return days;
}

/** The first of `days` days up to `last`. */
const firstOf = (network: Network, last: string, days: number) =>
  dateOfDay(network, dayOfDate(network, last) - days + 1);

/** Arguments may be invalid here. */
const mayRead: Reads = ({ args, network: ofRequest, sizes }) => {
  const network = Network.safeParse(String(args.network ?? ofRequest).toLowerCase()).data;
  if (!network) return 0;
  const { operator, indices } = (args.where ?? {}) as { operator?: object | null; indices?: unknown };
  const ofOperator = operator ? sizeOfNamed(sizes, operator) : null;
  const members = indices == null ? ofOperator : [indices].flat().length;
  const [fromDate, toDate] = [args.fromDate, args.toDate].map((date) =>
    typeof date === 'string' && parseDate(date) !== undefined ? date : null,
  ) as [string | null, string | null];
  const [fromDay, toDay] = [args.fromDay, args.toDay].map((day) => (Number.isInteger(day) ? day : null)) as [
    number | null,
    number | null,
  ];
  const utc = args.utc === true;
  const last = sizes.daysOf(network, utc)?.last;
  const dates =
    Number.isInteger(args.days) && last !== undefined
      ? { from: dateOfDay(network, last - Math.min(Number(args.days), MOST_DAYS) + 1), to: null }
      : datesWithin(network, { fromDate, toDate, fromDay, toDay });
  const scanned = scannedRows(sizes, { network, calendar: utc ? 'utc' : 'chain', dates }, members);
  return scanned + lookedUp(ofOperator ?? 0);
};

builder.queryField('validatorRanking', (t) =>
  rankingPages(t, {
    extensions: { operation: 'listValidatorRanking', mayRead },
    description: `Validators by their figures over a range of days, stored or archived; by default by effectiveness, largest first. A range that would scan too much is refused. ${sizesText(RANKING_SIZES)}`,
    args: {
      ...rangeArgs,
      days: t.arg.int({
        description: `Only the newest stored day and the dates before it, so many days in all, from 1 to ${MOST_DAYS.toLocaleString('en')}. Not with a first or a last day or date.`,
      }),
      where: t.arg({ type: RankingWhere, description: 'Filter; default: all validators.' }),
      orderBy: t.arg({
        type: RankingOrder,
        description: 'The order, ties by index, ascending; default: by effectiveness, largest first.',
      }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx: Context, info) => {
      const { where } = args;
      const [range, days, operator, indices] = collectFaults(
        () => rangeOf(args),
        () => readDays(args),
        () => readOperatorBy(where?.operator, 'where.operator'),
        () => readIndices(where?.indices),
        () => checkSizes(args, RANKING_SIZES.maxSize),
      );
      const { field, direction } = orderOf<RankingField>(args.orderBy, 'effectiveness');
      const network = args.network ?? ctx.network;
      const list: RankingList = {
        ...range,
        ...{ network, operator, indices },
        ...{ field, ascending: direction === 'asc', days },
      };
      const dates = () => loadRankingDates(ctx, { network }, list.calendar === 'utc');
      return connectionOf(args, info, {
        ...RANKING_SIZES,
        cursors: rankingCursors(list), // later pages rank the newest days, even if a day was added since
        async read(asked) {
          const newest = days === undefined ? null : (await dates()).to;
          const fromDate = newest ? firstOf(network, String(newest), days as number) : list.fromDate;
          return ranking(ctx, { ...list, fromDate }, asked, 'argument');
        },
        total: (page) => page.total,
        stored: dates,
      });
    },
  }),
);
