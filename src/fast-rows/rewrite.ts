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
  print,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import {
  type FieldExtensions,
  givesRows,
  placeholderField,
  rewrite,
  summaryArgument,
  windowArgument,
} from './placeholders.ts';
import { type Column, type LayoutPart, RowLayout } from './row-layout.ts';
import { FAST_ROWS } from './switch.ts';

export const isConnection = (field: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(field.type).name.endsWith('Connection');

type Rewritten = { node: FieldNode; layout?: RowLayout | undefined };

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

  const mayBeNull = (value: ValueNode) =>
    value.kind === Kind.NULL ||
    (value.kind === Kind.VARIABLE &&
      !operation.variableDefinitions?.some(
        ({ variable, type }) => variable.name.value === value.name.value && type.kind === Kind.NON_NULL_TYPE,
      ));

  function inSet(set: SelectionSetNode, type: GraphQLObjectType): SelectionSetNode {
    const fields = fieldsOf(set, type, fragments);
    if (!fields) return set;
    return { ...set, selections: fields.map((node) => inField(node, type)) };
  }

  function inField(node: FieldNode, type: GraphQLObjectType): FieldNode {
    const field = type.getFields()[node.name.value];
    const below = field && getNamedType(field.type);
    if (!node.selectionSet || !field || !isObjectType(below)) return node;
    if (givesRows(field, type)) return inRows(node, type, windowArgument(node)).node;
    return isConnection(field)
      ? inPage(node, below, windowArgument(node)).node
      : keep(node, inSet(node.selectionSet, below));
  }

  /**
   * The rows of a page share one layout, so they are read as text only if the query selects either `nodes` or `edges`,
   * once.
   */
  function inPage(
    node: FieldNode,
    type: GraphQLObjectType,
    window?: ValueNode,
    names = ['nodes', 'edges'],
  ): Rewritten {
    const fields = fieldsOf(node.selectionSet as SelectionSetNode, type, fragments);
    const places = fields?.filter(({ name }) => names.includes(name.value)) ?? [];
    const [place] = places;
    if (!fields || !place || places.length > 1) return { node };
    const edge = getNamedType(type.getFields().edges?.type) as GraphQLObjectType;
    const { node: made, layout } =
      place.name.value === 'edges' ? inPage(place, edge, window, ['node']) : inRows(place, type, window);
    const selections = fields.map((one) => (one === place ? made : one));
    return { node: keep(node, { kind: Kind.SELECTION_SET, selections }, layout), layout };
  }

  function inRows(node: FieldNode, parent: GraphQLObjectType, window?: ValueNode): Rewritten {
    const field = parent.getFields()[node.name.value];
    const row = getNamedType(field?.type);
    const set = node.selectionSet as SelectionSetNode;
    if (!isObjectType(row)) return { node };
    const ofSummary = field?.extensions.givesRow === 'ofSummary';
    const known = ofSummary ? summaryArgument(node) : window;
    const isRead = !ofSummary || (known && !mayBeNull(known));
    const parts = isRead ? partsOf(set, row, { fragments, window: known }) : undefined;
    if (!parts) return { node: keep(node, inSet(set, row)) };
    const layout = new RowLayout(parts);
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

/** Returns undefined for directives, fragments on other types and duplicate names. */
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

type Place = {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The window whose summary the row has. */
  window?: ValueNode | undefined;
};

function partsOf(set: SelectionSetNode, row: GraphQLObjectType, place: Place): LayoutPart[] | undefined {
  const parts: LayoutPart[] = [];
  for (const node of fieldsOf(set, row, place.fragments) ?? [undefined]) {
    const part = node && partFor(node, row, place);
    if (!part) return undefined;
    parts.push(part);
  }
  return parts;
}

function partFor(node: FieldNode, row: GraphQLObjectType, place: Place): LayoutPart | undefined {
  const key = (node.alias ?? node.name).value;
  if (node.name.value === '__typename') return { key, constant: row.name };
  const field = row.getFields()[node.name.value];
  if (!field) return undefined;
  const below = getNamedType(field.type);
  const { ownRow } = field.extensions as FieldExtensions;
  if (ownRow && isObjectType(below)) return summaryPart(key, node, below, place);
  const column = columnOf(field);
  const nullable = !isNonNullType(field.type);
  const stored = storedPart(field, node.selectionSet, place.fragments);
  const kind = stored ? 'json' : kindOf(field);
  return column === undefined || kind === undefined ? undefined : { key, column, kind, nullable, ...stored };
}

function summaryPart(
  key: string,
  node: FieldNode,
  type: GraphQLObjectType,
  place: Place,
): LayoutPart | undefined {
  const window = windowArgument(node);
  const isOwn = window && place.window && print(window) === print(place.window);
  const parts = isOwn && partsOf(node.selectionSet as SelectionSetNode, type, { fragments: place.fragments });
  return parts ? { key, parts } : undefined;
}

function columnOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const { column } = field.extensions as FieldExtensions;
  return column ?? (field.resolve || field.args.length > 0 ? undefined : field.name);
}

const quoted = new Set(['BigInt', 'Decimal', 'Date', 'DateTime']);

function kindOf({ type, extensions }: GraphQLField<unknown, unknown>): Column['kind'] | undefined {
  const plain = getNullableType(type);
  if (isEnumType(plain)) return Object.fromEntries(plain.getValues().map(({ value, name }) => [value, name]));
  if (isScalarType(plain)) {
    if (plain.name === 'Int') return 'digits';
    if (plain.name === 'Float') return (extensions as FieldExtensions).rounded ? 'rounded' : 'double';
    if (quoted.has(plain.name)) return 'quoted';
    return plain.name === 'String' || plain.name === 'Boolean' ? 'text' : undefined;
  }
  return undefined;
}

function storedPart(
  { type, extensions }: GraphQLField<unknown, unknown>,
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Pick<Column, 'renamed'> | undefined {
  const { storedKeys } = extensions as FieldExtensions;
  const item = getNamedType(type);
  if (!set || !storedKeys || !isObjectType(item)) return undefined;
  const selected = fieldsOf(set, item, fragments) ?? [];
  let renamed: Column['renamed'];
  const keys = selected.map(({ alias, name: { value: to } }) => {
    if (alias) return undefined;
    const { column: from = to } = (item.getFields()[to]?.extensions ?? {}) as FieldExtensions;
    if (from !== to) renamed = { from, to };
    return from;
  });
  return keys.join() === storedKeys.join() ? { ...(renamed && { renamed }) } : undefined;
}
