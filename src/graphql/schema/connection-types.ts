import type { InterfaceRef, ObjectRef } from '@pothos/core';
import { builder, type Schema } from './builder.ts';

export function pageTypes<Row>(
  type: ObjectRef<Schema, Row> | InterfaceRef<Schema, Row>,
  { name, row, list }: { name: string; row: string; list: string },
) {
  const edge = builder.edgeObject({
    type,
    name: `${name}Edge`,
    description: `${row} and its position in the list.`,
  });
  const page = builder.connectionObject(
    { type, name: `${name}Connection`, description: `${list}, page by page.` },
    edge,
  );
  return [page, edge] as const;
}
