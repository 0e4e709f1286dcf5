import type { InputShapeFromFields, ObjectParam } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { Stored } from '../db/batch/stored.ts';
import { selectedInPage } from '../fast-rows/index.ts';
import { layoutFor } from '../fast-rows/placeholders.ts';
import type { Selection } from '../fast-rows/row-layout.ts';
import { builder, globalIdOf, type Schema } from '../graphql/schema/builder.ts';
import { columns, type FieldsOf, renamed } from '../graphql/schema/columns.ts';
import { type ConnectionArgs, checkSizes, connectionOf } from '../graphql/schema/connection.ts';
import { pagesOf } from '../graphql/schema/connection-types.ts';
import { enumValues } from '../graphql/schema/enums.ts';
import { orderInput, orderOf } from '../graphql/schema/order.ts';
import { rangeArgs, rangeOf } from '../graphql/schema/range.ts';
import { integerCursors } from '../kernel/cursor.ts';
import type { Range } from '../kernel/page.ts';
import { collectFaults } from '../kernel/refusal.ts';
import type { PeriodRow } from './pages.ts';
import { PERIODS_SIZES } from './params.ts';
import type { PeriodQuery } from './read-plan.ts';
import { granularities, PeriodKeys } from './record.ts';
import type { PeriodPage } from './resolve.ts';
import type { EntityKey } from './sources.ts';

const lengths: Record<string, string> = {
  hour: 'An hour; stored for the attestations of operators only.',
  day: 'A day of the calendar in use.',
  week: 'An ISO week.',
  month: 'A calendar month.',
  quarter: 'A calendar quarter.',
  year: 'A calendar year.',
  all: 'All in one row.',
};
const GranularityEnum = builder.enumType('Granularity', {
  description: 'The size of time increments.',
  values: enumValues(granularities, (name) => lengths[name] as string),
});

/** `period` replaces all fields of PeriodKeys, because all of them sort by time. */
const orderFields = (record: z.ZodObject): string[] => [
  'period',
  ...Object.keys(record.shape).filter(
    (name) => !['id', 'hour', ...Object.keys(PeriodKeys.shape)].includes(name),
  ),
];

function periodArgs(name: string, record: z.ZodObject) {
  const OrderInput = orderInput(name, orderFields(record), (field) =>
    field === 'period' ? 'Time of the period.' : ((record.shape[field] as z.ZodType).description as string),
  );
  return builder.args((t) => ({
    granularity: t.field({
      type: GranularityEnum,
      defaultValue: 'day',
      description: 'Size of the time increments.',
    }),
    ...rangeArgs,
    orderBy: t.field({ type: OrderInput, description: 'Order of the periods; default: newest first.' }),
  }));
}

type PeriodArgs = InputShapeFromFields<ReturnType<typeof periodArgs>>;

/** Throws BAD_INPUT for negative days and reversed ranges. */
function periodQuery<Field extends string>(args: PeriodArgs): PeriodQuery<Field> {
  const { field, direction } = orderOf<string>(args.orderBy, 'period');
  return {
    granularity: args.granularity ?? 'day',
    ...rangeOf(args),
    sortBy: field === 'period' ? 'day' : (field as Field),
    sortOrder: direction,
  };
}

type OwnedPeriod<Record> = PeriodRow<Record> & {
  of?: { owner: EntityKey; query: PeriodQuery<string> };
};

/** Includes the bounds of the list, because a bound can cut off part of a week or longer period. */
function keyOf({ of, ...row }: OwnedPeriod<Partial<z.infer<typeof PeriodKeys>> & { hour?: number | null }>) {
  const { owner, query } = of as NonNullable<typeof of>;
  const { granularity, calendar, fromDate, toDate, fromDay, toDay } = query;
  const period =
    granularity === 'hour' || granularity === 'day'
      ? [row[granularity]]
      : [row.startDay, ...[fromDate, toDate, fromDay, toDay].map((bound) => bound ?? '')];
  return [owner.network, owner.idType, calendar, granularity, ...period, owner.id].join(':');
}

const keysOfId = new Set<string>(['hour', 'day', 'startDay']);

const periodFields = <Record extends object>(
  t: FieldsOf<OwnedPeriod<Record>>,
  name: string,
  record: z.ZodObject,
  ofOperators: boolean,
) => ({
  id: t.id({
    description: 'Unique among all records of this type; the same for the same period of the same list.',
    resolve: (row) => globalIdOf(name, keyOf(row as never)),
  }),
  ...(ofOperators && {
    operatorId: renamed(
      t,
      'id' as never,
      'Identifier of the operator or private set, or index of the validator; `id` in REST.',
    ),
  }),
  ...columns(t, record.omit({ id: true })),
});

function periodSelection<Field extends string>(
  info: GraphQLResolveInfo,
  record: z.ZodObject,
): Selection<Field> {
  const layout = layoutFor(info);
  if (layout) return layout;
  const names = selectedInPage(info);
  return Object.keys(record.shape).filter((name) =>
    name === 'id' ? names.has('operatorId') : names.has(name) || (names.has('id') && keysOfId.has(name)),
  ) as Field[];
}

const periodLists =
  <Field extends string, Record>(list: string, record: z.ZodObject) =>
  (
    owner: EntityKey,
    args: PeriodArgs & ConnectionArgs,
    info: GraphQLResolveInfo,
    of: {
      read: (
        query: PeriodQuery<Field>,
        range: Range<number>,
        selection: Selection<Field>,
      ) => Promise<PeriodPage<Record>>;
      stored: (query: PeriodQuery<Field>) => Promise<Stored> | Stored;
    },
    check?: () => void,
  ) => {
    if (check)
      collectFaults(
        check,
        () => periodQuery(args),
        () => checkSizes(args, PERIODS_SIZES.maxSize),
      );
    const query = periodQuery<Field>(args);
    return connectionOf(args, info, {
      ...PERIODS_SIZES,
      cursors: integerCursors(
        () => `${list}:${JSON.stringify([owner.network, owner.idType, owner.id, query])}`,
        (row: PeriodRow<Record>) => row.position,
      ),
      async read(range) {
        const selection = periodSelection<Field>(info, record);
        const page = await of.read(query, range, selection);
        if (Array.isArray(selection))
          for (const row of page.rows as OwnedPeriod<Record>[]) row.of = { owner, query };
        return page;
      },
      total: (page) => page.total as number,
      stored: () => of.stored(query),
    });
  };

/**
 * The type `name` of a record of periods, with what makes fields of its lists: their arguments, their pages, and how they are
 * read, with a check of other arguments. Cursors have the name `cursors`. `operator`: how to load that of a period.
 */
export function periodType<Field extends string, Record extends object>(
  name: string,
  record: z.ZodObject,
  of: {
    description: string;
    list: string;
    cursors: string;
    operator?: {
      type: ObjectParam<Schema>;
      load: (ctx: Context, owner: never) => Promise<unknown>;
    };
  },
) {
  const type = builder.objectRef<OwnedPeriod<Record>>(name).implement({
    description: `${of.description} Not a Node: its period belongs to the range and the calendar of its list.`,
    fields: (t) => periodFields(t, name, record, of.operator !== undefined) as never,
  });
  const { operator } = of;
  if (operator)
    builder.objectField(type, 'operator', (t) =>
      t.field({
        type: operator.type,
        nullable: true,
        description:
          'The operator or private set as an operator; null when it has no summary, which is the case for most single validators.',
        resolve: ({ of: owned }, _args, ctx) =>
          (owned ? operator.load(ctx, owned.owner as never) : null) as never,
      }),
    );
  return {
    args: periodArgs(name, record),
    pages: pagesOf(type, { name, row: 'A period', list: of.list, stored: 'date' }),
    read: periodLists<Field, Record>(of.cursors, record),
  };
}
