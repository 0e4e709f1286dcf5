import {
  type ArgumentNode,
  BREAK,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';

export type Values = Record<string, unknown>;

const sizes = { forward: 'first', backward: 'last', ids: 'ids', indices: 'indices' } as const;
const sizeArguments = new Set<string>([...Object.values(sizes), 'if', 'name', 'includeDeprecated']);

export const isSkipped = ({ directives }: SelectionNode, values: Values): boolean =>
  directives?.some(({ name, arguments: given }) => {
    const condition = argument(given, 'if', values);
    return (name.value === 'skip' && condition === true) || (name.value === 'include' && condition === false);
  }) ?? false;

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

/** GraphQL accepts a single value as a list of one. */
const countOf = (given: unknown): number | undefined =>
  given == null ? undefined : Array.isArray(given) ? given.length : 1;

export const defaults = (operation: OperationDefinitionNode): Values =>
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

/** As written or given, not coerced. */
export const argumentsOf = (nodes: readonly ArgumentNode[] | undefined, values: Values): Values =>
  Object.fromEntries(
    (nodes ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)]),
  );

/** Larger sizes have no estimate, because lists refuse them. */
const MAX_PAGE_SIZE = 1_000;

export function sizeOf(nodes: readonly ArgumentNode[] | undefined, values: Values): number | undefined {
  const size = argument(nodes, sizes.forward, values) ?? argument(nodes, sizes.backward, values);
  return Number.isInteger(size) && (size as number) > 0 && (size as number) <= MAX_PAGE_SIZE
    ? (size as number)
    : undefined;
}

export const namedSize = (nodes: readonly ArgumentNode[] | undefined, values: Values): number | undefined =>
  countOf(argument(nodes, sizes.ids, values) ?? argument(nodes, sizes.indices, values));
