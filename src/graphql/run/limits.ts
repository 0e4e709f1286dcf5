import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';
import { freeTypename } from './typename.ts';

/**
 * graphql-armor is not used, because its rules refuse ordinary Relay queries or ignore `__typename`. `fields`, `bytes`
 * and `introspection` keep a query from blocking the event loop for more than 200 ms (docs/performance.md).
 */
export const limits = {
  tokens: 2_000,
  depth: 15,
  aliases: 30,
  rootFields: 20,
  schemas: 1,
  rows: 20_000,
  fields: 100_000,
  bytes: 8_000_000,
  introspection: 60_000,
  nameLength: 100,
  repeats: 30,
  partDirectives: 10,
  parts: 20_000,
} as const;

export const limitError = (name: keyof typeof limits) =>
  new GraphQLError(`The query exceeds the limit of ${limits[name]} ${words[name]}.`, {
    extensions: { code: 'QUERY_LIMIT', limit: name, max: limits[name] },
  });

/** Not charged, because a retry can succeed once other requests release their reservations. */
const retryable = { status: 429, headers: { 'retry-after': '1' } };

/**
 * `left`: rest of the allowance. `limit`: `left` minus the reservations of other requests. If only the reservations are
 * in the way, the status is 429, because a retry may succeed.
 */
export function costError(estimate: number, limit: number, left: number) {
  const advice =
    estimate > left
      ? 'ask for smaller pages.'
      : `${left - limit} of its ${left} are reserved by requests that are being answered; ask again when they are.`;
  return new GraphQLError(
    `The query may cost ${estimate} compute units and the account has ${limit} left; ${advice}`,
    { extensions: { code: 'COST_LIMIT', estimate, limit, ...(estimate <= left && { http: retryable }) } },
  );
}

const words = {
  tokens: 'tokens',
  depth: 'levels of nesting',
  aliases: 'aliases (`__typename` counts from the second in a selection set)',
  rootFields: 'root fields',
  schemas: '`__schema`',
  fields: 'fields in the answer; ask for smaller pages or fewer fields',
  bytes: 'bytes in the answer; ask for smaller pages or fewer fields',
  introspection: 'fields of introspection; ask for fewer of them',
  rows: 'rows; ask for smaller pages within pages',
  repeats: 'fields of the same name, with selections of their own, in a selection',
  nameLength: 'characters in an alias or the name of a variable',
  partDirectives: 'uses of @defer and @stream',
  parts: 'fields in the answer times uses of @defer and @stream; ask for smaller pages or use them less',
};

type Measure = { depth: number; aliases: number; fields: number; schemas: number };
const nothing = (): Measure => ({ depth: 0, aliases: 0, fields: 0, schemas: 0 });

export function LimitsRule(context: ValidationContext): ASTVisitor {
  // Memoized, because nested spreads would double the work per level.
  const measured = new Map<string, Measure>();

  function measureFragment(name: string): Measure {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, nothing()); // ends a cycle of fragments
    const fragment = context.getFragment(name);
    const result = fragment ? measure(fragment.selectionSet) : nothing();
    measured.set(name, result);
    return result;
  }

  function measure(set: SelectionSetNode): Measure {
    const total = nothing();
    const free = freeTypename(set);
    for (const selection of set.selections) {
      if (selection === free) continue;
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        total.fields += 1;
        if (name === '__schema') total.schemas += 1;
        if (selection.alias || name === '__typename') total.aliases += 1;
        if (!selection.selectionSet) {
          total.depth = Math.max(total.depth, 1);
          continue;
        }
        const below = measure(selection.selectionSet);
        // graphql-js itself limits the depth of introspection
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
        total.schemas += inner.schemas;
      }
    }
    return total;
  }

  const checkLength = (name: string | undefined) => {
    if (name && name.length > limits.nameLength) context.reportError(limitError('nameLength'));
  };

  return {
    // Each row and each error of the response repeats aliases.
    Field: ({ alias }) => checkLength(alias?.value),
    VariableDefinition: ({ variable }) => checkLength(variable.name.value),
    OperationDefinition(operation) {
      const { depth, aliases, fields, schemas } = measure(operation.selectionSet);
      if (depth > limits.depth) context.reportError(limitError('depth'));
      if (aliases > limits.aliases) context.reportError(limitError('aliases'));
      if (fields > limits.rootFields) context.reportError(limitError('rootFields'));
      if (schemas > limits.schemas) context.reportError(limitError('schemas'));
    },
  };
}
