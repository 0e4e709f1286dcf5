import type { FieldRef, ObjectFieldBuilder } from '@pothos/core';
import type { z } from 'zod';
import type { FieldExtensions } from '../../fast-rows/placeholders.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { builder, globalIdOf, type Schema } from './builder.ts';
import type { FieldCost } from './field-cost.ts';

export type FieldsOf<Row> = ObjectFieldBuilder<Schema, Row & object>;

export function columns<Row, Shape extends z.ZodRawShape>(t: FieldsOf<Row>, record: z.ZodObject<Shape>) {
  const leaves = Object.entries(record.shape).flatMap(([name, schema]) => {
    const kind = Leaf.leafKind(schema);
    if (!kind) return [];
    const description = (schema as z.ZodType).description;
    if (!description) throw new Error(`Field ${name} of ${record.meta()?.id} has no description.`);
    const field = t.expose(
      name as never,
      { type: kind, nullable: Leaf.isNullable(schema), description } as never,
    );
    return [[name, field] as const];
  });
  return Object.fromEntries(leaves);
}

/** Exposes decimal ratios as doubles, like all other ratios. */
export const rounded = <Row, Shape extends z.ZodRawShape>(t: FieldsOf<Row>, record: z.ZodObject<Shape>) =>
  Object.fromEntries(
    Object.entries(record.shape).map(([name, schema]) => {
      const extensions: FieldExtensions = { column: name, rounded: true };
      const { description } = schema as z.ZodType;
      const nullable = Leaf.isNullable(schema as z.ZodType);
      const resolve = (row: object) => (row[name as never] === null ? null : Number(row[name as never]));
      const given = { nullable, description: description as string, extensions };
      return [name, t.float({ ...given, resolve: resolve as never })];
    }),
  );

/**
 * Exposes an enum or list of objects without a resolver call. Row types are partial, but the field is non-null, because
 * selected fields are always read. `column`: the field's name in the row, if different. `stored`: schema of objects
 * stored as JSON with keys in this order. `rows`: upper estimate of the list's length.
 */
export const exposed = <Row>(
  t: FieldsOf<Row>,
  name: keyof Row & string,
  {
    stored,
    column,
    rows,
    ...options
  }: {
    type: unknown;
    description: string;
    stored?: z.ZodObject;
    column?: keyof Row & string;
    rows?: number;
  },
) => {
  const extensions: FieldExtensions & FieldCost = {
    ...(stored && { storedKeys: Object.keys(stored.shape) }),
    ...(column && { column }),
    ...(rows && { rows }),
  };
  return t.expose(name as never, { nullable: false, extensions, ...options } as never) as FieldRef<Schema>;
};

/** REST's `id`, for example, would collide with the global id. */
export const renamed = <Row>(t: FieldsOf<Row>, column: keyof Row & string, description: string) => {
  const extensions: FieldExtensions = { column };
  return t.string({ description, extensions, resolve: (row) => row[column] as string });
};

/** For rows that `node` cannot find, because their figures depend on list arguments. */
export const rowId = <Row>(
  t: FieldsOf<Row>,
  type: string,
  keyOf: (row: Row & object) => readonly unknown[],
) =>
  t.id({
    description: 'Global id, unique among all rows; `node` does not find it.',
    resolve: (row) => globalIdOf(type, JSON.stringify(keyOf(row))),
  });

type Share = z.ZodRawShape & { percentage: z.ZodType<string | number> };

/** For records whose `percentage` in REST is a ratio. The objects are stored as JSON. */
export function shareObject<Shape extends Share>(record: z.ZodObject<Shape>) {
  const { id, description } = record.meta() ?? {};
  const extensions: FieldExtensions = { column: 'percentage' };
  return builder.objectRef<z.output<z.ZodObject<Shape>> & object>(id as string).implement({
    description: description as string,
    fields: (t) =>
      ({
        ...columns(t, record.omit({ percentage: true } as never) as unknown as z.ZodObject),
        ratio: t.float({
          description: record.shape.percentage.description as string,
          extensions,
          resolve: (row) => Number((row as { percentage: string | number }).percentage),
        }),
      }) as never,
  });
}
