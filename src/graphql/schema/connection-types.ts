import type { InterfaceRef, ObjectRef } from '@pothos/core';
import { builder, type Types } from './builder.ts';

type Schema = PothosSchemaTypes.ExtendDefaultTypes<Types>;

/**
 * The connection of a list and its edge, which `t.connection` takes last: `name` is that of the row's type, `row` says what
 * a row is, and `list` what the rows are together.
 */
export function pageTypes<Row>(
  type: ObjectRef<Schema, Row> | InterfaceRef<Schema, Row>,
  { name, row, list }: { name: string; row: string; list: string },
) {
  const edge = builder.edgeObject({
    type,
    name: `${name}Edge`,
    description: `${row} with its cursor.`,
  });
  const page = builder.connectionObject(
    { type, name: `${name}Connection`, description: `${list}, page by page.` },
    edge,
  );
  return [page, edge] as const;
}
