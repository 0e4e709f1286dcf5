import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** A page whose size is not given has the list's default: at most this, unless the field says `defaultSize`. */
const DEFAULT_SIZE = 15;
/** A list that is no connection: the operators of a validator. */
const PLAIN_LIST_SIZE = 4;

type Values = Record<string, unknown>;

/**
 * The rows that an operation may read, from the page sizes that it asks for: those of a connection within a connection
 * multiply. Sizes given as variables count like literals. Each alias counts, and so does each use of a fragment.
 */
export function rowsAsked(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Values,
): number {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return 0; // execution says what is wrong
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const values = { ...defaults(operation), ...variables };
  // A fragment is measured once: what it asks for is the same wherever it is spread.
  const measured = new Map<string, number>();

  function rowsOf(type: GraphQLNamedType, set: SelectionSetNode): number {
    let rows = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) rows += rowsOfField(type, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const name = selection.typeCondition?.name.value;
        rows += rowsOf((name && schema.getType(name)) || type, selection.selectionSet);
      } else rows += rowsOfFragment(selection.name.value);
    }
    return rows;
  }

  function rowsOfFragment(name: string): number {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, 0); // a cycle, which validation refuses
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const rows = type ? rowsOf(type, fragment.selectionSet) : 0;
    measured.set(name, rows);
    return rows;
  }

  function rowsOfField(parent: GraphQLNamedType, node: FieldNode): number {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return 0;
    const named = getNamedType(field.type);
    const below = rowsOf(named, node.selectionSet);
    if (named.name.endsWith('Connection')) {
      const defaultSize = Number(field.extensions.defaultSize ?? DEFAULT_SIZE);
      return sizeOf(node.arguments, values, defaultSize) * (1 + below);
    }
    const ids = argument(node.arguments, 'ids', values);
    if (Array.isArray(ids)) return ids.length * (1 + below);
    const within = parent.name.endsWith('Connection'); // edges and nodes are the page that is counted already
    const list = !within && 'ofType' in field.type && isListType(field.type.ofType);
    return list && below > 0 ? PLAIN_LIST_SIZE * (1 + below) : below;
  }

  return rowsOf(root, operation.selectionSet);
}

const defaults = (operation: OperationDefinitionNode): Values =>
  Object.fromEntries(
    (operation.variableDefinitions ?? [])
      .filter((definition) => definition.defaultValue)
      .map((definition) => [
        definition.variable.name.value,
        definition.defaultValue && valueFromASTUntyped(definition.defaultValue),
      ]),
  );

function argument(nodes: readonly ArgumentNode[] | undefined, name: string, values: Values): unknown {
  const node = nodes?.find((given) => given.name.value === name);
  return node && valueFromASTUntyped(node.value, values);
}

function sizeOf(nodes: readonly ArgumentNode[] | undefined, values: Values, defaultSize: number): number {
  const size = argument(nodes, 'first', values) ?? argument(nodes, 'last', values);
  return typeof size === 'number' && size > 0 ? size : defaultSize;
}
