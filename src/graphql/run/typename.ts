import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode, visit } from 'graphql';

/**
 * The one `__typename` of a selection set that counts for no limit: the first without an alias. Apollo and urql add it
 * to every selection set.
 */
export const freeTypename = (set: SelectionSetNode): FieldNode | undefined =>
  set.selections.find(
    (selection): selection is FieldNode =>
      selection.kind === Kind.FIELD && selection.name.value === '__typename' && !selection.alias,
  );

/** Tokens of free `__typename`s; one with directives counts in part. */
export function freeTokens(document: DocumentNode): number {
  let free = 0;
  visit(document, {
    SelectionSet(set) {
      if (freeTypename(set)) free += 1;
    },
  });
  return free;
}
