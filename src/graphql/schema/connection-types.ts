import type {
  FieldKind,
  FieldRef,
  InputFieldMap,
  InputShapeFromFields,
  InterfaceRef,
  MaybePromise,
  ObjectRef,
} from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { builder, type ConnectionExtras, type Schema } from './builder.ts';
import type { ConnectionArgs } from './connection.ts';
import type { FieldCost } from './field-cost.ts';

const units = { slot: 'slot', epoch: 'epoch', day: 'chain day', date: 'date' };
type Unit = keyof typeof units;

type ListField<Parent, Row, Args extends InputFieldMap> = {
  extensions: FieldCost;
  description: string;
  args?: Args;
  resolve: (
    parent: Parent,
    args: InputShapeFromFields<Args> & ConnectionArgs,
    ctx: Context,
    info: GraphQLResolveInfo,
  ) => MaybePromise<{ nodes: readonly Row[] } | null | undefined>;
};

/**
 * Makes the types of a list's pages, and returns what makes fields with them. `stored` is the unit of `storedFrom` and
 * `storedTo`, for lists of the chain; `connection` then reads them.
 */
export function pagesOf<Row>(
  type: ObjectRef<Schema, Row> | InterfaceRef<Schema, Row>,
  { name, row, list, stored }: { name: string; row: string; list: string; stored?: Unit },
) {
  const edge = builder.edgeObject({
    type,
    name: `${name}Edge`,
    description: `${row} and its position in the list.`,
  });
  const page = builder.connectionObject(
    {
      type,
      name: `${name}Connection`,
      description: `${list}, page by page.`,
      ...(stored && {
        fields: (t) => ({ storedFrom: end(t, 'from', stored), storedTo: end(t, 'to', stored) }),
      }),
    },
    edge,
  );
  /** Nullable, because its errors must not null what is beside it. */
  return <Parent, Kind extends FieldKind, Args extends InputFieldMap = Record<never, never>>(
    t: PothosSchemaTypes.RootFieldBuilder<Schema, Parent, Kind>,
    field: ListField<Parent, Row, Args>,
  ) =>
    t.connection({ type, nullable: true, ...field } as never, page as never, edge as never) as FieldRef<
      Schema,
      unknown,
      Kind
    >;
}

const ends = {
  from: ['First', 'Earlier rows are not stored'],
  to: ['Last', 'Later rows are not stored yet'],
} as const;

function end(
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, ConnectionExtras>,
  side: 'from' | 'to',
  unit: Unit,
) {
  const [which, beyond] = ends[side];
  return t.field({
    type: unit === 'date' ? 'Date' : 'Int',
    nullable: true,
    description: `${which} ${units[unit]} that is stored, regardless of filter, bounds and page; null when nothing is stored. ${beyond}.`,
    resolve: async ({ stored }) => (await stored?.())?.[side] as never,
  });
}
