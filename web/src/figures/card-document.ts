/** The part of the document of a page that one of its cards needs: loaded when the card is handed on. */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql/language';

type Variables = Record<string, unknown>;
export type PageDocument = { text: string; variables: object; data?: unknown };
export type CardDocument = { query: string; name: string; variables: Variables };

/** Fields by their names in the response; an empty one is wanted with all that is below. */
type Tree = Map<string, Tree>;

/** Where each object of a response is; elements of a list are where the list is. */
function placesIn(data: unknown): Map<object, readonly string[]> {
  const places = new Map<object, readonly string[]>();
  const walk = (value: unknown, path: readonly string[]) => {
    if (typeof value !== 'object' || value === null) return;
    if (!places.has(value)) places.set(value, path);
    for (const [key, one] of Object.entries(value)) walk(one, Array.isArray(value) ? path : [...path, key]);
  };
  walk(data, []);
  return places;
}

/** Rows that a page makes of objects of its response have these within them. */
const DEEPEST = 4;

function pathsOf(parts: readonly unknown[], places: Map<object, readonly string[]>) {
  const paths = new Set<string>();
  const find = (value: unknown, depth: number) => {
    if (typeof value === 'string' && depth === 0) paths.add(value);
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    const path = places.get(value);
    if (path) paths.add(path.join('.'));
    else for (const one of Object.values(value)) find(one, depth + 1);
  };
  for (const part of parts) find(part, 0);
  // A list is wanted with the number of its rows and its other pages.
  return [...paths]
    .filter(Boolean)
    .map((path) =>
      path.split('.').filter((key, index, all) => !(key === 'nodes' && index === all.length - 1)),
    );
}

function treeOf(paths: readonly (readonly string[])[]): Tree {
  const tree: Tree = new Map();
  for (const path of paths.toSorted((one, other) => one.length - other.length)) {
    let at = tree;
    for (const [index, key] of path.entries()) {
      const known = at.get(key);
      if (known?.size === 0) break; // all of it is wanted
      const next = known ?? new Map();
      at.set(key, next);
      at = next;
      if (index === path.length - 1) at.clear();
    }
  }
  return tree;
}

const isOn = ({ name, arguments: given }: DirectiveNode, variables: Variables) => {
  const value = given?.[0]?.value;
  const on = value?.kind === Kind.VARIABLE ? variables[value.name.value] === true : undefined;
  return on === undefined ? undefined : on === (name.value === 'include');
};

/** A document that asks only for parts of the page's response: objects or lists of it, rows made from these, or paths. */
export function cardOf(
  { text, variables: given, data }: PageDocument,
  parts: readonly unknown[],
): CardDocument {
  const variables = given as Variables;
  const whole = parse(text, { noLocation: true });
  const operation = whole.definitions.find(
    (one) => one.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
  const fragments = new Map(
    whole.definitions
      .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
      .map((one) => [one.name.value, one]),
  );
  const wanted = treeOf(pathsOf(parts, placesIn(data)));

  /** What `@include` and `@skip` say is decided by the variables of the page. */
  const decided = <T extends SelectionNode>(selection: T): T | undefined => {
    const results = (selection.directives ?? []).map((one) => isOn(one, variables));
    if (results.includes(false)) return undefined;
    return {
      ...selection,
      directives: selection.directives?.filter((_, index) => results[index] === undefined) ?? [],
    };
  };

  function pruned({ selections }: SelectionSetNode, tree: Tree): SelectionSetNode {
    const kept = selections.flatMap((one): SelectionNode[] => {
      const selection = decided(one);
      if (!selection) return [];
      if (selection.kind === Kind.FIELD) {
        const below = tree.size === 0 ? tree : tree.get((selection.alias ?? selection.name).value);
        if (!below) return [];
        return [selection.selectionSet ? fieldWith(selection, below) : selection];
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) return [];
      const { typeCondition } = fragment;
      return [
        {
          kind: Kind.INLINE_FRAGMENT,
          ...(typeCondition && { typeCondition }),
          selectionSet: pruned(fragment.selectionSet, tree),
        },
      ];
    });
    return { kind: Kind.SELECTION_SET, selections: kept.filter((one) => !isEmpty(one)) };
  }
  const fieldWith = (field: FieldNode, tree: Tree): FieldNode => ({
    ...field,
    ...(field.selectionSet && { selectionSet: pruned(field.selectionSet, tree) }),
  });
  const isEmpty = (one: SelectionNode) => 'selectionSet' in one && one.selectionSet?.selections.length === 0;

  const selectionSet = pruned(operation.selectionSet, wanted);
  const used = new Set<string>();
  visit(selectionSet, { Variable: ({ name }) => void used.add(name.value) });
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        ...operation,
        selectionSet,
        variableDefinitions:
          operation.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)) ?? [],
      },
    ],
  };
  return {
    query: print(document),
    name: operation.name?.value ?? '',
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(name))),
  };
}
