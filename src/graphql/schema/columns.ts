import type { FieldRef, ObjectFieldBuilder } from '@pothos/core';
import type { z } from 'zod';
import type { FieldExtensions } from '../../fast-rows/placeholders.ts';
import { isNullable, leafKind } from '../../kernel/leaves.ts';
import type { FieldCost } from '../run/metering.ts';
import { builder, type Types } from './builder.ts';

/** The field builder that Pothos passes to `fields`. */
export type FieldsOf<Row> = ObjectFieldBuilder<PothosSchemaTypes.ExtendDefaultTypes<Types>, Row & object>;

/** Plain fields of a record, with kind, nullability and description. Rooms write arrays, objects and enums by hand. */
export function columns<Row, Shape extends z.ZodRawShape>(t: FieldsOf<Row>, record: z.ZodObject<Shape>) {
  const leaves = Object.entries(record.shape).flatMap(([name, schema]) => {
    const kind = leafKind(schema);
    if (!kind) return [];
    const description = (schema as z.ZodType).description;
    if (!description) throw new Error(`Field ${name} of ${record.meta()?.id} has no description.`);
    // Exposed rather than resolved: the executor reads the property without a call per value.
    const field = t.expose(name as never, { type: kind, nullable: isNullable(schema), description } as never);
    return [[name, field] as const];
  });
  return Object.fromEntries(leaves);
}

/**
 * An exposed field that is not a plain leaf: an enum or a list of objects. It avoids the arguments, path and closures
 * of a resolver call. Non-null even if the row's type is partial, because selected fields are always read. `stored`:
 * the record of objects stored as JSON with keys in this order. `rows`: an upper estimate of the list's length, for the
 * response size.
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

/** Renames a text field; used where REST's `id` collides with the global id. */
export const renamed = <Row>(t: FieldsOf<Row>, column: keyof Row & string, description: string) => {
  const extensions: FieldExtensions = { column };
  return t.string({ description, extensions, resolve: (row) => row[column] as string });
};

/** Requires a record of leaves only; throws when it has no id or description. */
export function plainObject<Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) {
  const { id, description } = record.meta() ?? {};
  if (!id || !description) throw new Error('A record needs an id and a description to become a type.');
  return builder
    .objectRef<z.output<z.ZodObject<Shape>> & object>(id)
    .implement({ description, fields: (t) => columns(t, record) as never });
}
