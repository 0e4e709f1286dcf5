import {
  type ArgumentNode,
  BREAK,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';

/** Values of variables, by their names. */
export type Values = Record<string, unknown>;

/**
 * The arguments that say how many objects a field reads, those of `@skip` and `@include`: whether it is read at all, and
 * those of introspection.
 */
export const sizes = { forward: 'first', backward: 'last', ids: 'ids' } as const;
const sizeArguments = new Set<string>([...Object.values(sizes), 'if', 'name', 'includeDeprecated']);

/** Whether a directive leaves a selection out; one that is no truth value is refused when it runs. */
export const isSkipped = ({ directives }: SelectionNode, values: Values): boolean =>
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

/** The entries of a list as GraphQL takes it: one that is not in a list is a list of one. */
export const countOf = (given: unknown): number | undefined =>
  given == null ? undefined : Array.isArray(given) ? given.length : 1;

/** The defaults of an operation's variables. */
export const defaults = (operation: OperationDefinitionNode): Values =>
  Object.fromEntries(
    (operation.variableDefinitions ?? [])
      .filter((definition) => definition.defaultValue)
      .map((definition) => [
        definition.variable.name.value,
        definition.defaultValue && valueFromASTUntyped(definition.defaultValue),
      ]),
  );

/** An argument by its name; undefined where it is not given. */
export function argument(nodes: readonly ArgumentNode[] | undefined, name: string, values: Values): unknown {
  const node = nodes?.find((given) => given.name.value === name);
  return node && valueFromASTUntyped(node.value, values);
}

/** No list has larger pages: one that is asked for is refused by its list, in the list's words. */
const LARGEST_PAGE = 1_000;

/** The size of the page that is asked for; undefined where none is given, or none that is taken. */
export function sizeOf(nodes: readonly ArgumentNode[] | undefined, values: Values): number | undefined {
  const size = argument(nodes, sizes.forward, values) ?? argument(nodes, sizes.backward, values);
  return Number.isInteger(size) && (size as number) > 0 && (size as number) <= LARGEST_PAGE
    ? (size as number)
    : undefined;
}
