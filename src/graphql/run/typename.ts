import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode, visit } from 'graphql';

/** Limits ignore the first `__typename` without an alias, because Apollo and urql add one to every selection set. */
export const freeTypename = (set: SelectionSetNode): FieldNode | undefined =>
  set.selections.find(
    (selection): selection is FieldNode =>
      selection.kind === Kind.FIELD && selection.name.value === '__typename' && !selection.alias,
  );

/** Directives on a free `__typename` are not free. */
export function freeTokens(document: DocumentNode): number {
  let free = 0;
  visit(document, {
    SelectionSet(set) {
      if (freeTypename(set)) free += 1;
    },
  });
  return free;
}
