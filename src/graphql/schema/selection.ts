import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { asWritten } from '../../fast-rows/prebuilt-rows.ts';

type Tree = Map<string, Tree>;

/**
 * The names of the fields selected below a field, at the end of each of these paths. Directives are not looked at: a
 * skipped field that is read anyway costs a column, one that is missing would be a wrong answer.
 */
export function selectedFields(info: GraphQLResolveInfo, ...paths: string[][]): ReadonlySet<string> {
  const [given] = info.fieldNodes;
  if (info.fieldNodes.length > 1 || !given) return namesBelow(info.fieldNodes, info.fragments, paths);
  const node = asWritten(given);
  // Documents are kept, and what a field of one selects is the same every time.
  let known = selected.get(node);
  if (!known) selected.set(node, (known = new Map()));
  const key = paths.map((path) => path.join('.')).join();
  let names = known.get(key);
  if (!names) known.set(key, (names = namesBelow([node], info.fragments, paths)));
  return names;
}

/** Where the rows of a connection are selected, and those of a field that is one. */
export const IN_PAGE = [['edges', 'node'], ['nodes']];
export const IN_ROW = [[]];

/** Those of the fields of rows that are selected. `id` is that of `node` unless the record's own has a name in the schema. */
export function selectedOf<Field extends string>(
  info: GraphQLResolveInfo,
  fields: readonly Field[],
  paths: string[][],
  ownId = 'id',
): Field[] {
  const selected = selectedFields(info, ...paths);
  return fields.filter((name) => selected.has(name === 'id' ? ownId : name));
}

const selected = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>();

function namesBelow(
  nodes: readonly FieldNode[],
  fragments: GraphQLResolveInfo['fragments'],
  paths: string[][],
): Set<string> {
  const root: Tree = new Map();
  for (const node of nodes) if (node.selectionSet) collect(node.selectionSet, fragments, root);
  const names = new Set<string>();
  for (const path of paths) {
    let tree: Tree | undefined = root;
    for (const step of path) tree = tree?.get(step);
    for (const name of tree?.keys() ?? []) names.add(name);
  }
  return names;
}

function collect(
  set: SelectionSetNode,
  fragments: Record<string, FragmentDefinitionNode>,
  into: Tree,
  // A fragment spread twice at one place adds nothing; spreads of spreads would double the work at each step.
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
