import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';

/**
 * Bounds on one document, before anything runs. graphql-armor's own rules refuse ordinary Relay queries or ignore
 * `__typename`; these count plainly and name the bound.
 */
export const limits = { tokens: 2_000, depth: 15, aliases: 30, rootFields: 20, rows: 20_000 } as const;

/** A refusal of a document, with the bound that it passes. */
export const limitError = (name: keyof typeof limits) =>
  new GraphQLError(`The query passes the limit of ${limits[name]} ${words[name]}.`, {
    extensions: { code: 'QUERY_LIMIT', limit: name, max: limits[name] },
  });

/** A refusal of a document that might cost more compute units than the account has left. */
export const costError = (estimate: number, limit: number) =>
  new GraphQLError(
    `The query may cost ${estimate} compute units and the account has ${limit} left; ask for smaller pages.`,
    { extensions: { code: 'COST_LIMIT', estimate, limit } },
  );

const words = {
  tokens: 'tokens',
  depth: 'levels of nesting',
  aliases: 'aliases (`__typename` counts)',
  rootFields: 'root fields',
  rows: 'rows; ask for smaller pages within pages',
};

type Measure = { depth: number; aliases: number; fields: number };

/** The validation rule: depth, aliases and root fields of each operation, as they would be answered. */
export function LimitsRule(context: ValidationContext): ASTVisitor {
  // A fragment is measured once however often it is spread: spreads of spreads would double the work at each step.
  const measured = new Map<string, Measure>();

  function measureFragment(name: string): Measure {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, { depth: 0, aliases: 0, fields: 0 }); // a cycle, which another rule reports
    const fragment = context.getFragment(name);
    const result = fragment ? measure(fragment.selectionSet) : { depth: 0, aliases: 0, fields: 0 };
    measured.set(name, result);
    return result;
  }

  function measure(set: SelectionSetNode): Measure {
    const total: Measure = { depth: 0, aliases: 0, fields: 0 };
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        total.fields += 1;
        if (selection.alias || name === '__typename') total.aliases += 1;
        if (!selection.selectionSet) {
          total.depth = Math.max(total.depth, 1);
          continue;
        }
        const below = measure(selection.selectionSet);
        // graphql-js bounds the depth of introspection itself
        const introspection = name === '__schema' || name === '__type';
        total.depth = Math.max(total.depth, introspection ? 1 : below.depth + 1);
        total.aliases += below.aliases;
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : measureFragment(selection.name.value);
        total.depth = Math.max(total.depth, inner.depth);
        total.aliases += inner.aliases;
        total.fields += inner.fields;
      }
    }
    return total;
  }

  return {
    OperationDefinition(operation) {
      const { depth, aliases, fields } = measure(operation.selectionSet);
      if (depth > limits.depth) context.reportError(limitError('depth'));
      if (aliases > limits.aliases) context.reportError(limitError('aliases'));
      if (fields > limits.rootFields) context.reportError(limitError('rootFields'));
    },
  };
}
