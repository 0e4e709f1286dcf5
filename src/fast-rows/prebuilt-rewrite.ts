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
import { type FieldExtensions, givesRows, rewrite, standIn } from './prebuilt-rows.ts';
import { type Column, type Part, type RowForm, rowForm } from './row-form.ts';

/** The query with what stands for rows where they are plain; undefined where none are. */
export function withWrittenRows(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): DocumentNode | undefined {
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
    return isConnection(field) ? inPage(node, below) : known(node, inSet(node.selectionSet, below));
  }

  /** A page: its rows are of one form only where they are selected once. */
  function inPage(node: FieldNode, page: GraphQLObjectType): FieldNode {
    const fields = fieldsOf(node.selectionSet as SelectionSetNode, page, fragments);
    const places = fields?.filter(({ name }) => name.value === 'nodes' || name.value === 'edges') ?? [];
    const [place] = places;
    if (!fields || !place || places.length > 1) return node;
    const { node: made, form } = place.name.value === 'nodes' ? inRows(place, page) : inEdges(place, page);
    const selections = fields.map((one) => (one === place ? made : one));
    return known(node, { kind: Kind.SELECTION_SET, selections }, form);
  }

  function inEdges(edges: FieldNode, page: GraphQLObjectType): { node: FieldNode; form?: RowForm } {
    const edge = getNamedType(page.getFields().edges?.type) as GraphQLObjectType;
    const fields = fieldsOf(edges.selectionSet as SelectionSetNode, edge, fragments);
    const places = fields?.filter(({ name }) => name.value === 'node') ?? [];
    const [place] = places;
    if (!fields || !place || places.length > 1) return { node: edges };
    const { node, ...rest } = inRows(place, edge);
    const selections = fields.map((one) => (one === place ? node : one));
    return { node: known(edges, { kind: Kind.SELECTION_SET, selections }), ...rest };
  }

  /** A field that gives rows. */
  function inRows(node: FieldNode, parent: GraphQLObjectType): { node: FieldNode; form?: RowForm } {
    const row = getNamedType(parent.getFields()[node.name.value]?.type);
    const set = node.selectionSet as SelectionSetNode;
    if (!isObjectType(row)) return { node };
    const form = formFor(set, row, fragments);
    if (!form) return { node: known(node, inSet(set, row)) };
    found = true;
    const { selectionSet: _, ...rest } = node;
    const name = { kind: Kind.NAME as const, value: standIn(node.name.value) };
    return { node: rewrite({ ...rest, alias: node.alias ?? node.name, name }, node, form), form };
  }

  const made = {
    ...operation,
    selectionSet: inSet(operation.selectionSet, schema.getQueryType() as GraphQLObjectType),
  };
  if (!found) return undefined;
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? made : one)) };
}

const known = (node: FieldNode, selectionSet: SelectionSetNode, form?: RowForm): FieldNode =>
  rewrite({ ...node, selectionSet }, node, form);

/**
 * The fields of a selection with fragments in their places; undefined where that is not all there is to it: a directive,
 * a fragment on another type, or one name twice.
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

/** The form of rows that are selected so; undefined where a field is more than a column. */
function formFor(
  set: SelectionSetNode,
  row: GraphQLObjectType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): RowForm | undefined {
  const parts: Part[] = [];
  for (const node of fieldsOf(set, row, fragments) ?? [undefined]) {
    const part = node && partFor(node, row, fragments);
    if (!part) return undefined;
    parts.push(part);
  }
  return rowForm(parts);
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

/** The property of a row that a field is; undefined where it is worked out. */
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
  const asked = fieldsOf(set, item, fragments) ?? [];
  const names = asked.map(({ alias, name }) => (alias ? `${alias.value}:` : '') + name.value);
  return names.join() === storedKeys.join() ? 'json' : undefined;
}
