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
  Kind,
  parse,
  type ValueNode,
} from 'graphql';
import type { Context } from '../context.ts';
import { JsonText, jsonList } from '../kernel/json-text.ts';
import { type RowLayout, serializeRow } from './row-layout.ts';

/**
 * Compiled queries select this field instead of `name` if everything they select from a row can be read as one text
 * (`rewrite.ts`).
 */
export const placeholderField = (name: string) => `${name}Serialized`;

export type FieldExtensions = {
  /**
   * The resolver returns a row and uses `selectionFor`. 'ofSummary' means that the row is of the window that its first
   * subfield `summary` asks for.
   */
  givesRow?: true | 'ofSummary';
  /** The parent's row contains this object's columns if the list and this field have the same `window`. */
  ownRow?: boolean;
  /** The column of this Float is a decimal. */
  rounded?: boolean;
  column?: string;
  /** For a list of objects stored as JSON in response form: the keys of each object, in stored order. */
  storedKeys?: readonly string[];
};

const rewritten = new WeakMap<FieldNode, { node: FieldNode; layout?: RowLayout }>();

export const originalField = (node: FieldNode): FieldNode => rewritten.get(node)?.node ?? node;

export function layoutFor({ fieldNodes }: GraphQLResolveInfo): RowLayout | undefined {
  const [node] = fieldNodes;
  return node && rewritten.get(node)?.layout;
}

export function rewrite(made: FieldNode, from: FieldNode, layout?: RowLayout): FieldNode {
  rewritten.set(made, { node: originalField(from), ...(layout && { layout }) });
  return made;
}

export const windowArgument = ({ arguments: given }: FieldNode): ValueNode | undefined =>
  given?.find(({ name }) => name.value === 'window')?.value;

export function summaryArgument(node: FieldNode): ValueNode | undefined {
  for (const selection of originalField(node).selectionSet?.selections ?? []) {
    const window =
      selection.kind === Kind.FIELD && selection.name.value === 'summary' && windowArgument(selection);
    if (window) return window;
  }
  return undefined;
}

export const givesRows = (field: GraphQLField<unknown, unknown>, parent: GraphQLObjectType): boolean =>
  (field.name === 'nodes' && parent.name.endsWith('Connection')) ||
  (field.name === 'node' && parent.name.endsWith('Edge')) ||
  (field.extensions as FieldExtensions).givesRow !== undefined;

/** Do not validate with this schema: validation must refuse placeholders. */
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
    if (!Array.isArray(value))
      return new JsonText([(value as { text?: string }).text ?? serializeRow(value, layout)], 1);
    const texts: string[] = [];
    for (const row of value) texts.push(row.text ?? serializeRow(row, layout));
    return jsonList(texts);
  };
  if (!resolve) return (source, _args, _context, info) => preSerialized((source as never)[name], info);
  return async (source, args, context, info) =>
    preSerialized(await resolve(source, args, context, info), info);
}
