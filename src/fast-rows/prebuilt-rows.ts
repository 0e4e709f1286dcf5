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
import { type RowForm, textOfRow } from './row-form.ts';

/**
 * Rows of which nothing but plain fields is selected are not made of values one by one: they come as texts of PostgreSQL,
 * which are made the JSON that the selection asks for. A compiled query is rewritten for it (`prebuilt-rewrite.ts`): where
 * it asks for such rows, by `nodes` of a page, by `node` of its edges or by a field that says so (`written`), it asks for a
 * field that stands for them, which the schema of compiled queries has beside each. Resolvers learn of the form by
 * `formOf`; rows that they read as columns nevertheless are written by the form here.
 */
export const standIn = (name: string) => `${name}Written`;

/** What a field tells of how its rows or values are stored. */
export type FieldExtensions = {
  /** Its resolver gives a row, and heeds `formOf`. */
  written?: boolean;
  /** The property of a row that it shows under another name. */
  column?: string;
  /** Of a list of objects that is stored as it is shown: the keys in their order. */
  storedKeys?: readonly string[];
};

/** What a field of a rewritten query was, and the form of the rows that it asks for. */
const rewritten = new WeakMap<FieldNode, { node: FieldNode; form?: RowForm }>();

/** The field as the caller wrote it. */
export const asWritten = (node: FieldNode): FieldNode => rewritten.get(node)?.node ?? node;

/** The form in which rows are asked for, where they are. */
export function formOf({ fieldNodes }: GraphQLResolveInfo): RowForm | undefined {
  const [node] = fieldNodes;
  return node && rewritten.get(node)?.form;
}

/** Notes what a field of a rewritten query was, and its form. */
export function rewrite(made: FieldNode, from: FieldNode, form?: RowForm): FieldNode {
  rewritten.set(made, { node: asWritten(from), ...(form && { form }) });
  return made;
}

/** Whether a field gives rows: those of a page, that of an edge, or one by itself. */
export const givesRows = (field: GraphQLField<unknown, unknown>, parent: GraphQLObjectType): boolean =>
  (field.name === 'nodes' && parent.name.endsWith('Connection')) ||
  (field.name === 'node' && parent.name.endsWith('Edge')) ||
  (field.extensions as FieldExtensions).written === true;

/** The schema with what stands for rows: for compiled queries alone, whatever a caller sends is checked without. */
export function schemaOfWritten(schema: GraphQLSchema): GraphQLSchema {
  const made = extendSchema(schema, parse('scalar WrittenRows'));
  const scalar = made.getType('WrittenRows') as GraphQLScalarType;
  for (const type of Object.values(made.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      if (!givesRows(field, type)) continue;
      const name = standIn(field.name);
      fields[name] = {
        ...field,
        name,
        type: isNonNullType(field.type) ? new GraphQLNonNull(scalar) : scalar,
        resolve: resolverOf(field),
      };
    }
  }
  return made;
}

function resolverOf({
  name,
  resolve,
}: GraphQLField<unknown, Context>): GraphQLFieldResolver<unknown, Context> {
  const written = (value: unknown, info: GraphQLResolveInfo): JsonText | null => {
    if (value === null || value === undefined) return null;
    const form = formOf(info) as RowForm;
    return Array.isArray(value)
      ? jsonList(value.map((row) => textOfRow(row, form)))
      : new JsonText([textOfRow(value, form)], 1);
  };
  if (!resolve) return (source, _args, _context, info) => written((source as never)[name], info);
  return async (source, args, context, info) => written(await resolve(source, args, context, info), info);
}
