import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { layoutFor, originalField } from './placeholders.ts';
import type { Selection } from './row-layout.ts';

type Tree = Map<string, Tree>;

export const IN_PAGE = [['edges', 'node'], ['nodes']];
export const IN_ROW = [[]];

/** Cached by AST node, because a cached document keeps its nodes. */
const selected = new WeakMap<FieldNode, Tree>();

/** Ignores directives: reading a field that `@skip` excludes costs only a column. */
export function selectedFields(info: GraphQLResolveInfo, ...paths: string[][]): ReadonlySet<string> {
  const only = info.fieldNodes.length === 1 ? info.fieldNodes[0] : undefined;
  const tree = (only && selected.get(only)) ?? selectedTree(info);
  if (only) selected.set(only, tree);
  const names = new Set<string>();
  for (const path of paths) {
    let below: Tree | undefined = tree;
    for (const step of path) below = below?.get(step);
    for (const name of below?.keys() ?? []) names.add(name);
  }
  return names;
}

/** `shown`: names in GraphQL of columns that have another name there. */
export function selectedOf<Field extends string>(
  info: GraphQLResolveInfo,
  fields: readonly Field[],
  paths: string[][],
  shown: Partial<Record<Field, string>> = {},
): Field[] {
  const names = selectedFields(info, ...paths);
  return fields.filter((name) => names.has(shown[name] ?? name));
}

/** The fields selected in a field that returns one row. */
export const selectedInRow = (info: GraphQLResolveInfo): ReadonlySet<string> =>
  selectedFields(info, ...IN_ROW);
/** The fields selected in the rows of a field that returns a page. */
export const selectedInPage = (info: GraphQLResolveInfo): ReadonlySet<string> =>
  selectedFields(info, ...IN_PAGE);

export const selectionFor = <Field extends string>(
  info: GraphQLResolveInfo,
  fields: readonly Field[],
  paths: string[][],
  shown?: Partial<Record<Field, string>>,
): Selection<Field> => layoutFor(info) ?? selectedOf(info, fields, paths, shown);

function selectedTree({ fieldNodes, fragments }: GraphQLResolveInfo): Tree {
  const tree: Tree = new Map();
  for (const node of fieldNodes) {
    const { selectionSet } = originalField(node);
    if (selectionSet) collect(selectionSet, fragments, tree);
  }
  return tree;
}

function collect(
  set: SelectionSetNode,
  fragments: Record<string, FragmentDefinitionNode>,
  into: Tree,
  // Visits each fragment once: nested spreads would double the work per level.
  spread = new Set<string>(),
) {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value;
      let below = into.get(name);
      if (!below) into.set(name, (below = new Map()));
      if (selection.selectionSet) collect(selection.selectionSet, fragments, below);
    } else {
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (!fragment || (name && spread.has(name))) continue;
      if (name) spread.add(name);
      collect(fragment.selectionSet, fragments, into, spread);
    }
  }
}
