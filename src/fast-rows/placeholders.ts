import {
  extendSchema,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import type { Context } from '../context.ts';
import { JsonText, jsonList } from '../kernel/json-text.ts';
import { type RowLayout, serializeRow } from './row-layout.ts';

/**
 * The name of the field that stands in for a field of rows. Rows with only plain fields selected come from PostgreSQL as text,
 * and are serialized without a value for each field. For this, a compiled query asks for a placeholder in place of each such
 * field (`rewrite.ts`): `nodes` of a page, `node` of its edges, or a field with the extension `givesRow`. The schema of compiled
 * queries has these placeholders.
 */
export const placeholderField = (name: string) => `${name}Serialized`;

/** What a field declares about how its rows or values are stored. */
export type FieldExtensions = {
  /** Its resolver returns a row, and reads it by `selectionFor`. */
  givesRow?: boolean;
  /** The property of a row that it shows under another name. */
  column?: string;
  /** For a list of objects that is stored as it is shown: their keys in order. */
  storedKeys?: readonly string[];
};

/** The field that each field of a rewritten query was made from, and the layout of its rows. */
const rewritten = new WeakMap<FieldNode, { node: FieldNode; layout?: RowLayout }>();

/** The field as the caller wrote it. */
export const originalField = (node: FieldNode): FieldNode => rewritten.get(node)?.node ?? node;

/** The layout in which a compiled query needs the rows of a field, if it does. */
export function layoutFor({ fieldNodes }: GraphQLResolveInfo): RowLayout | undefined {
  const [node] = fieldNodes;
  return node && rewritten.get(node)?.layout;
}

/** Records what a field of a rewritten query was made from, and returns it. */
export function rewrite(made: FieldNode, from: FieldNode, layout?: RowLayout): FieldNode {
  rewritten.set(made, { node: originalField(from), ...(layout && { layout }) });
  return made;
}

/** Whether a field gives rows: those of a page, that of an edge, or a single row. */
export const givesRows = (field: GraphQLField<unknown, unknown>, parent: GraphQLObjectType): boolean =>
  (field.name === 'nodes' && parent.name.endsWith('Connection')) ||
  (field.name === 'node' && parent.name.endsWith('Edge')) ||
  (field.extensions as FieldExtensions).givesRow === true;

/** The schema with placeholders, for compiled queries only; requests are validated against the schema without them. */
export function schemaWithPlaceholders(schema: GraphQLSchema): GraphQLSchema {
  const extended = extendSchema(schema, parse('scalar SerializedRows'));
  const scalar = extended.getType('SerializedRows') as GraphQLScalarType;
  for (const type of Object.values(extended.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      if (!givesRows(field, type)) continue;
      const name = placeholderField(field.name);
      fields[name] = {
        ...field,
        name,
        type: isNonNullType(field.type) ? new GraphQLNonNull(scalar) : scalar,
        resolve: resolverOf(field),
      };
    }
  }
  return extended;
}

function resolverOf({
  name,
  resolve,
}: GraphQLField<unknown, Context>): GraphQLFieldResolver<unknown, Context> {
  const preSerialized = (value: unknown, info: GraphQLResolveInfo): JsonText | null => {
    if (value === null || value === undefined) return null;
    const layout = layoutFor(info) as RowLayout;
    return Array.isArray(value)
      ? jsonList(value.map((row) => serializeRow(row, layout)))
      : new JsonText([serializeRow(value, layout)], 1);
  };
  if (!resolve) return (source, _args, _context, info) => preSerialized((source as never)[name], info);
  return async (source, args, context, info) =>
    preSerialized(await resolve(source, args, context, info), info);
}
