import type { InterfaceRef, ObjectRef } from '@pothos/core';
import { builder, type ConnectionExtras, type Schema } from './builder.ts';

const units = { slot: 'slot', epoch: 'epoch', day: 'chain day', date: 'date' };
type Unit = keyof typeof units;

/** `stored` is the unit of `storedFrom` and `storedTo`, for lists of the chain; `connection` then reads them. */
export function pageTypes<Row>(
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
  return [page, edge] as const;
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
    description: `${which} ${units[unit]} that is stored, whatever filter, bounds and page select; null when none is. ${beyond}.`,
    resolve: async ({ stored }) => (await stored?.())?.[side] as never,
  });
}
