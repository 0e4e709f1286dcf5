import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLErrorOptions,
  Kind,
  type ValidationContext,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { limitError, limits } from './limits.ts';

const names = new Set(['defer', 'stream']);
const known = new WeakMap<DocumentNode, number>();

export function partsIn(document: DocumentNode): number {
  let uses = known.get(document);
  if (uses === undefined) known.set(document, (uses = count(document)));
  return uses;
}

function count(document: DocumentNode): number {
  let uses = 0;
  visit(document, {
    Directive(node) {
      if (names.has(node.name.value)) uses += 1;
    },
  });
  return uses;
}

/** Limits the executor's time, which grows with the number of parts. A directive makes at most `fields` parts. */
export const partsRefusal = (document: DocumentNode, fields: number): GraphQLError | undefined =>
  partsIn(document) * fields > limits.parts ? limitError('parts') : undefined;

/** A fault of an `initialCount`, which validation does not find. */
export function initialCountRefusal(
  document: DocumentNode,
  variables: Record<string, unknown>,
): GraphQLError | undefined {
  if (partsIn(document) === 0) return undefined;
  let refused: GraphQLError | undefined;
  visit(document, {
    Directive(node) {
      const given = node.arguments?.find(({ name }) => name.value === 'initialCount');
      const count = given && valueFromASTUntyped(given.value, variables);
      if (count === undefined || (Number.isInteger(count) && (count as number) >= 0)) return;
      const message = `initialCount of @stream is ${count}; an integer of at least 0 is needed.`;
      refused ??= new GraphQLError(message, { nodes: node });
    },
  });
  return refused;
}

export function PartsRule(context: ValidationContext): ASTVisitor {
  const document = context.getDocument();
  if (partsIn(document) === 0) return {};
  if (partsIn(document) > limits.partDirectives) context.reportError(limitError('partDirectives'));
  const refuse = (message: string, options: GraphQLErrorOptions) =>
    context.reportError(new GraphQLError(message, options));
  return {
    OperationDefinition(node) {
      if (node.operation === 'query') return;
      const parts = [node, ...context.getRecursivelyReferencedFragments(node)];
      if (parts.some((part) => partsIn({ kind: Kind.DOCUMENT, definitions: [part] }) > 0))
        refuse(`@defer and @stream are for queries; this is a ${node.operation}.`, { nodes: node });
    },
    Directive(node) {
      if (!names.has(node.name.value)) return;
      for (const { name, value } of node.arguments ?? [])
        if (name.value === 'label' && value.kind === Kind.STRING && value.value.length > limits.nameLength)
          refuse(`A label has at most ${limits.nameLength} characters.`, { nodes: node });
    },
    Field({ alias }) {
      if (!alias) return;
      // The executor of deferred parts mistakes an object with this alias for a promise.
      if (alias.value === 'then')
        refuse('The alias "then" cannot be used in a document with @defer or @stream; use another.', {
          nodes: alias,
        });
    },
    SelectionSet(node) {
      // The executor would run a fragment once for each spread, but the estimate counts it once.
      const spread = new Set<string>();
      for (const selection of node.selections) {
        if (selection.kind !== Kind.FRAGMENT_SPREAD) continue;
        const name = selection.name.value;
        if (spread.has(name))
          refuse(
            `The fragment ${name} is spread twice in one selection, in a document with @defer or @stream.`,
            {
              nodes: selection,
            },
          );
        spread.add(name);
      }
    },
  };
}
