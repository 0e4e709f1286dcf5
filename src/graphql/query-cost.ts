import {
  type ArgumentNode,
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { unitsFor, weightOf } from '../accounts/compute-units.ts';
import type { FieldCost } from './metering.ts';

/** Rows of a list that is no page and does not say how many it has at the most. */
const PLAIN_LIST_SIZE = 4;

type Values = Record<string, unknown>;

/** The most that an operation may read, in rows, and be charged, in compute units. */
export type Cost = { rows: number; units: number };
const nothing: Cost = { rows: 0, units: 0 };
const sum = (a: Cost, b: Cost): Cost => ({ rows: a.rows + b.rows, units: a.units + b.units });

/**
 * The rows that an operation may read, and what it may cost, from the page sizes that it asks for: those of a connection
 * within a connection multiply. Sizes given as variables count like literals. Each alias counts, and so does each use of
 * a fragment; what is skipped does not.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Values,
): Cost {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return nothing; // execution says what is wrong
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const values = { ...defaults(operation), ...variables };
  // A fragment is measured once: what it asks for is the same wherever it is spread.
  const measured = new Map<string, Cost>();

  function ofSet(type: GraphQLNamedType, set: SelectionSetNode): Cost {
    let total = nothing;
    for (const selection of set.selections) {
      if (isSkipped(selection, values)) continue;
      if (selection.kind === Kind.FIELD) total = sum(total, ofField(type, selection));
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const name = selection.typeCondition?.name.value;
        total = sum(total, ofSet((name && schema.getType(name)) || type, selection.selectionSet));
      } else total = sum(total, ofFragment(selection.name.value));
    }
    return total;
  }

  function ofFragment(name: string): Cost {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, nothing); // a cycle, which validation refuses
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const cost = type ? ofSet(type, fragment.selectionSet) : nothing;
    measured.set(name, cost);
    return cost;
  }

  function ofField(parent: GraphQLNamedType, node: FieldNode): Cost {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return nothing;
    const below = ofSet(getNamedType(field.type), node.selectionSet);
    const { operation, rows = PLAIN_LIST_SIZE } = field.extensions as FieldCost;
    const weight = operation === undefined ? undefined : weightOf(operation);
    const page = isConnection(field);
    const size = page
      ? (sizeOf(node.arguments, values) ?? rows)
      : (countOf(argument(node.arguments, sizes.ids, values)) ?? (isList(field, parent) ? rows : undefined));
    const units = (weight ? unitsFor(weight, size ?? 1) : 0) + (size ?? 1) * below.units;
    // One object is a part of the row that it belongs to; so are plain lists with nothing to be read below them.
    if (size === undefined) return { rows: below.rows, units };
    return page || weight || below.rows > 0 ? { rows: size * (1 + below.rows), units } : { rows: 0, units };
  }

  return ofSet(root, operation.selectionSet);
}

/** The arguments that say how many objects a field reads, and those of `@skip` and `@include`: whether it is read at all. */
const sizes = { forward: 'first', backward: 'last', ids: 'ids' } as const;
const sizeArguments = new Set<string>([...Object.values(sizes), 'if']);

/** Whether a directive leaves a selection out; one that is no truth value is refused when it runs. */
const isSkipped = ({ directives }: SelectionNode, values: Values): boolean =>
  directives?.some(({ name, arguments: given }) => {
    const condition = argument(given, 'if', values);
    return (name.value === 'skip' && condition === true) || (name.value === 'include' && condition === false);
  }) ?? false;

/** Whether what a document may read and cost is left to its variables. */
export function hasOpenSizes(document: DocumentNode): boolean {
  let open = false;
  visit(document, {
    VariableDefinition: () => false,
    Argument: ({ name }) => (sizeArguments.has(name.value) ? undefined : false),
    Variable() {
      open = true;
      return BREAK;
    },
  });
  return open;
}

/** Whether a field gives a page. */
export const isConnection = (field: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(field.type).name.endsWith('Connection');

/** Whether a field gives a plain list; edges and nodes are the page that is counted already. */
const isList = (field: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): boolean =>
  !parent.name.endsWith('Connection') && isListType(getNullableType(field.type));

/** The entries of a list as GraphQL takes it: one that is not in a list is a list of one. */
const countOf = (given: unknown): number | undefined =>
  given == null ? undefined : Array.isArray(given) ? given.length : 1;

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

/** No list has larger pages: one that is asked for is refused by its list, in the list's words. */
const LARGEST_PAGE = 1_000;

function sizeOf(nodes: readonly ArgumentNode[] | undefined, values: Values): number | undefined {
  const size = argument(nodes, sizes.forward, values) ?? argument(nodes, sizes.backward, values);
  return Number.isInteger(size) && (size as number) > 0 && (size as number) <= LARGEST_PAGE
    ? (size as number)
    : undefined;
}
