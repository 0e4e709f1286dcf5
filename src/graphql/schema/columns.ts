import type { FieldRef, ObjectFieldBuilder } from '@pothos/core';
import type { z } from 'zod';
import type { FieldExtensions } from '../../fast-rows/placeholders.ts';
import { isNullable, leafKind } from '../../kernel/leaves.ts';
import type { FieldCost } from '../run/metering.ts';
import { builder, type Types } from './builder.ts';

/** What the fields of a type are made by. */
export type FieldsOf<Row> = ObjectFieldBuilder<PothosSchemaTypes.ExtendDefaultTypes<Types>, Row & object>;

/**
 * The plain GraphQL fields of a record: name, kind, nullability and description of each leaf. Arrays, objects and
 * enums are joints and written by hand in the room.
 */
export function columns<Row, Shape extends z.ZodRawShape>(t: FieldsOf<Row>, record: z.ZodObject<Shape>) {
  const leaves = Object.entries(record.shape).flatMap(([name, schema]) => {
    const kind = leafKind(schema);
    if (!kind) return [];
    const description = (schema as z.ZodType).description;
    if (!description) throw new Error(`Field ${name} of ${record.meta()?.id} has no description.`);
    // Exposed, not resolved: an executor reads the property of the row itself, without a call for each value.
    const field = t.expose(name as never, { type: kind, nullable: isNullable(schema), description } as never);
    return [[name, field] as const];
  });
  return Object.fromEntries(leaves);
}

/**
 * A field that is a property of the row and no plain leaf: an enum, a list of objects. Exposed for the same reason: for each
 * call of a resolver the executor makes arguments, a path and closures. What is selected is read, so it is there, also where
 * the type of a row says that it need not be. `stored` is the record of objects that are stored as they are shown, as JSON
 * with their keys in this order, and `rows` a length of that list that few rows exceed, by which the size of an answer is
 * estimated.
 */
export const exposed = <Row>(
  t: FieldsOf<Row>,
  name: keyof Row & string,
  { stored, rows, ...options }: { type: unknown; description: string; stored?: z.ZodObject; rows?: number },
) => {
  const extensions: FieldExtensions & FieldCost = {
    ...(stored && { storedKeys: Object.keys(stored.shape) }),
    ...(rows && { rows }),
  };
  return t.expose(name as never, { nullable: false, extensions, ...options } as never) as FieldRef<
    PothosSchemaTypes.ExtendDefaultTypes<Types>
  >;
};

/** A text of the row under another name than in REST, where `id` is what GraphQL has the global id for. */
export const renamed = <Row>(t: FieldsOf<Row>, column: keyof Row & string, description: string) => {
  const extensions: FieldExtensions = { column };
  return t.string({ description, extensions, resolve: (row) => row[column] as string });
};

/** The GraphQL type of a record that is nothing but leaves, under the record's own name and description. */
export function plainObject<Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) {
  const { id, description } = record.meta() ?? {};
  if (!id || !description) throw new Error('A record needs an id and a description to become a type.');
  return builder
    .objectRef<z.output<z.ZodObject<Shape>> & object>(id)
    .implement({ description, fields: (t) => columns(t, record) as never });
}
