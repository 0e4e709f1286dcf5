import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { isConnection } from '../graphql/run/field-cost.ts';
import { type FieldExtensions, givesRows, placeholderField, rewrite } from './placeholders.ts';
import { type Column, type Part, RowLayout } from './row-layout.ts';
import { FAST_ROWS } from './switch.ts';

/** Returns the query with placeholders for rows with only plain fields selected; undefined if it has no such rows. */
export function withPlaceholders(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): DocumentNode | undefined {
  if (!FAST_ROWS) return undefined;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  let found = false;

  function inSet(set: SelectionSetNode, type: GraphQLObjectType): SelectionSetNode {
    const fields = fieldsOf(set, type, fragments);
    if (!fields) return set;
    return { ...set, selections: fields.map((node) => inField(node, type)) };
  }

  function inField(node: FieldNode, type: GraphQLObjectType): FieldNode {
    const field = type.getFields()[node.name.value];
    const below = field && getNamedType(field.type);
    if (!node.selectionSet || !field || !isObjectType(below)) return node;
    if (givesRows(field, type)) return inRows(node, type).node;
    return isConnection(field) ? inPage(node, below) : keep(node, inSet(node.selectionSet, below));
  }

  /** Rows of a page have one layout only if the page selects them once. */
  function inPage(node: FieldNode, page: GraphQLObjectType): FieldNode {
    const fields = fieldsOf(node.selectionSet as SelectionSetNode, page, fragments);
    const places = fields?.filter(({ name }) => name.value === 'nodes' || name.value === 'edges') ?? [];
    const [place] = places;
    if (!fields || !place || places.length > 1) return node;
    const { node: made, layout } = place.name.value === 'nodes' ? inRows(place, page) : inEdges(place, page);
    const selections = fields.map((one) => (one === place ? made : one));
    return keep(node, { kind: Kind.SELECTION_SET, selections }, layout);
  }

  function inEdges(edges: FieldNode, page: GraphQLObjectType): { node: FieldNode; layout?: RowLayout } {
    const edge = getNamedType(page.getFields().edges?.type) as GraphQLObjectType;
    const fields = fieldsOf(edges.selectionSet as SelectionSetNode, edge, fragments);
    const places = fields?.filter(({ name }) => name.value === 'node') ?? [];
    const [place] = places;
    if (!fields || !place || places.length > 1) return { node: edges };
    const { node, ...rest } = inRows(place, edge);
    const selections = fields.map((one) => (one === place ? node : one));
    return { node: keep(edges, { kind: Kind.SELECTION_SET, selections }), ...rest };
  }

  function inRows(node: FieldNode, parent: GraphQLObjectType): { node: FieldNode; layout?: RowLayout } {
    const row = getNamedType(parent.getFields()[node.name.value]?.type);
    const set = node.selectionSet as SelectionSetNode;
    if (!isObjectType(row)) return { node };
    const layout = layoutOf(set, row, fragments);
    if (!layout) return { node: keep(node, inSet(set, row)) };
    found = true;
    const { selectionSet: _, ...rest } = node;
    const name = { kind: Kind.NAME as const, value: placeholderField(node.name.value) };
    return { node: rewrite({ ...rest, alias: node.alias ?? node.name, name }, node, layout), layout };
  }

  const made = {
    ...operation,
    selectionSet: inSet(operation.selectionSet, schema.getQueryType() as GraphQLObjectType),
  };
  if (!found) return undefined;
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? made : one)) };
}

const keep = (node: FieldNode, selectionSet: SelectionSetNode, layout?: RowLayout): FieldNode =>
  rewrite({ ...node, selectionSet }, node, layout);

/**
 * Returns the fields of a selection and of its fragments; undefined if there is a directive, a fragment on another type, or one
 * name twice.
 */
function fieldsOf(
  set: SelectionSetNode,
  type: GraphQLObjectType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] | undefined {
  const fields = new Map<string, FieldNode>();
  const collect = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        if (fields.has(key)) return false;
        fields.set(key, selection);
        return true;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (!fragment || fragment.directives?.length) return false;
      const { typeCondition } = fragment;
      return (!typeCondition || typeCondition.name.value === type.name) && collect(fragment.selectionSet);
    });
  return collect(set) ? [...fields.values()] : undefined;
}

/** Returns the layout of a selection of rows; undefined if a field is more than a column. */
function layoutOf(
  set: SelectionSetNode,
  row: GraphQLObjectType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): RowLayout | undefined {
  const parts: Part[] = [];
  for (const node of fieldsOf(set, row, fragments) ?? [undefined]) {
    const part = node && partFor(node, row, fragments);
    if (!part) return undefined;
    parts.push(part);
  }
  return new RowLayout(parts);
}

function partFor(
  node: FieldNode,
  row: GraphQLObjectType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Part | undefined {
  const key = (node.alias ?? node.name).value;
  if (node.name.value === '__typename') return { key, constant: row.name };
  const field = row.getFields()[node.name.value];
  if (!field) return undefined;
  const column = columnOf(field);
  const kind = kindOf(field, node.selectionSet, fragments);
  return column === undefined || kind === undefined
    ? undefined
    : { key, column, kind, nullable: !isNonNullType(field.type) };
}

/** Returns the property of a row that a field shows; undefined if a resolver computes it. */
function columnOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const { column } = field.extensions as FieldExtensions;
  return column ?? (field.resolve || field.args.length > 0 ? undefined : field.name);
}

const quoted = new Set(['BigInt', 'Decimal', 'Date', 'DateTime']);

function kindOf(
  { type, extensions }: GraphQLField<unknown, unknown>,
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Column['kind'] | undefined {
  const plain = getNullableType(type);
  if (isEnumType(plain)) return Object.fromEntries(plain.getValues().map(({ value, name }) => [value, name]));
  if (isScalarType(plain)) {
    if (plain.name === 'Int') return 'digits';
    if (plain.name === 'Float') return 'double';
    if (quoted.has(plain.name)) return 'quoted';
    return plain.name === 'String' || plain.name === 'Boolean' ? 'text' : undefined;
  }
  const { storedKeys } = extensions as FieldExtensions;
  const item = getNamedType(plain);
  if (!set || !storedKeys || !isObjectType(item)) return undefined;
  const selected = fieldsOf(set, item, fragments) ?? [];
  const names = selected.map(({ alias, name }) => (alias ? `${alias.value}:` : '') + name.value);
  return names.join() === storedKeys.join() ? 'json' : undefined;
}
