import {
  coerceInputValue,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  specifiedRules,
  typeFromAST,
  type VariableDefinitionNode,
  validate,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../../context.ts';
import { schemaWithPlaceholders } from '../../fast-rows/placeholders.ts';
import { withPlaceholders } from '../../fast-rows/rewrite.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { fragmentsOf, introspectionAnswers, isIntrospection } from './introspection.ts';
import { LimitsRule } from './limits.ts';
import { CACHE_MAX_CHARACTERS, documentMap, parseBounded } from './parse.ts';
import { partsIn } from './parts-rule.ts';
import { type Cost, type CostContext, costOf, introspectionUnits } from './query-cost.ts';
import { reportedErrors } from './reported-errors.ts';
import { schema } from './schema.ts';
import { hasOpenSizes } from './size-arguments.ts';
import { TextRule } from './variables.ts';

type Values = Record<string, unknown>;

const extended = schemaWithPlaceholders(schema);

export type Compiled = {
  cost: Cost | ((variables: Values, context: CostContext) => Cost);
  /** Whether graphql-jit would accept the variables although they are invalid. */
  misreads?: ((variables: Values) => boolean) | undefined;
  /** A result without `data` means that the variables are invalid and nothing has run. */
  run(context: Context, variables: Values): Promise<ExecutionResult>;
};

const MAX_FIELDS = 2_000;
/** About 80 MB: a compiled field needs up to 400 bytes of heap. */
const CACHE_MAX_FIELDS = 200_000;
/** The size of an entry is measured in fields. A document adds 50, and each of its characters (140 bytes) adds 0.35. */
const OVERHEAD = 50;
const FIELDS_A_CHARACTER = 0.35;
const sizeOfCompiled = ({ fields }: Sized, text: string): number =>
  Math.ceil(fields + OVERHEAD + text.length * FIELDS_A_CHARACTER);

type Sized = { query: Compiled | undefined; fields: number };

/**
 * Compiles a document on its second use, because compiling costs more than one run gains. Returns undefined if the
 * document must run uncompiled.
 */
export function compiledQueries() {
  const documents = documentMap<{ document?: DocumentNode | null }>();
  const compiled = boundedMap<Sized>(CACHE_MAX_FIELDS, sizeOfCompiled);
  return (text: string, operationName: string | null | undefined): Compiled | undefined => {
    if (text.length > CACHE_MAX_CHARACTERS) return undefined;
    const key = operationName ? `${text}\0${operationName}` : text;
    const ready = compiled.get(key);
    if (ready) return ready.query;
    const known = documents.get(text);
    if (!known) {
      documents.set(text, {});
      return undefined;
    }
    if (known.document === undefined) known.document = validDocument(text) ?? null;
    const operation = known.document && getOperationAST(known.document, operationName);
    // Not cached, because callers could fill the cache with operation names.
    if (!known.document || !operation) return undefined;
    const made = compile(known.document, operation);
    compiled.set(key, made);
    return made.query;
  };
}

function validDocument(text: string): DocumentNode | undefined {
  try {
    const document = parseBounded(text);
    const errors = validate(schema, document, [...specifiedRules, LimitsRule, TextRule]);
    return errors.length === 0 ? document : undefined;
  } catch {
    return undefined;
  }
}

function compile(document: DocumentNode, operation: OperationDefinitionNode): Sized {
  if (partsIn(document) > 0) return { query: undefined, fields: 0 };
  if (isIntrospection(document, operation))
    return { query: introspectionQuery(document, operation), fields: 0 };
  const fields = fieldsOf(document, operation);
  const isPlain = operation.operation === 'query' && fields <= MAX_FIELDS;
  const query = isPlain ? compiledQuery(document, operation) : undefined;
  return { query, fields: query ? fields : 0 };
}

function costFunction(document: DocumentNode, name: string | undefined): Compiled['cost'] | undefined {
  const fixed = costOf(schema, document, name, {});
  if (hasOpenSizes(document) || fixed.reads)
    return (variables, context) => costOf(schema, document, name, variables, context);
  return fixed.passed ? undefined : fixed;
}

function compiledQuery(document: DocumentNode, operation: OperationDefinitionNode): Compiled | undefined {
  const name = operation.name?.value;
  const cost = costFunction(document, name);
  if (!cost) return undefined;
  const rows = withPlaceholders(schema, document, operation);
  const made = compileQuery(rows ? extended : schema, rows ?? document, name, {
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(made)) return undefined;
  const source = document.loc?.source;
  return {
    misreads: misreads(operation.variableDefinitions ?? []),
    cost,
    async run(context, variables) {
      const result = await made.query(undefined, context, variables);
      if (!result.errors) return result;
      const errors = result.errors.map((error) => graphqlError(error, source));
      return { ...result, errors: reportedErrors(schema, document, operation, variables, errors) };
    },
  };
}

/** graphql-jit ignores `@oneOf`, and lets null replace the default of a variable even in a non-null position. */
function misreads(definitions: readonly VariableDefinitionNode[]): Compiled['misreads'] {
  const defaulted = definitions
    .filter(({ defaultValue, type }) => defaultValue && type.kind !== Kind.NON_NULL_TYPE)
    .map(({ variable }) => variable.name.value);
  const oneOf = definitions.flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node);
    return isInputType(type) && hasOneOf(getNamedType(type)) ? [{ name: variable.name.value, type }] : [];
  });
  if (defaulted.length + oneOf.length === 0) return undefined;
  return (variables) =>
    defaulted.some((name) => variables[name] === null) ||
    oneOf.some(({ name, type }) => {
      let faulty = false;
      if (variables[name] !== undefined)
        coerceInputValue(variables[name], type, () => {
          faulty = true;
        });
      return faulty;
    });
}

const hasOneOf = (type: GraphQLNamedType): boolean =>
  isInputObjectType(type) &&
  (type.isOneOf || Object.values(type.getFields()).some((field) => hasOneOf(getNamedType(field.type))));

const introspectionAnswer = introspectionAnswers(schema);

function introspectionQuery(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Compiled | undefined {
  const cost = costFunction(document, operation.name?.value);
  if (!cost) return undefined;
  return {
    cost,
    async run(context, variables) {
      const { metering } = context;
      const result = introspectionAnswer(document, operation, variables);
      if (result.data)
        metering.charged += introspectionUnits(typeof cost === 'function' ? cost(variables, context) : cost);
      return result;
    },
  };
}

type Text = NonNullable<DocumentNode['loc']>['source'];

function graphqlError(error: GraphQLError, source: Text | undefined): GraphQLError {
  const { message, locations = [], path = null } = error;
  // Like graphql-js, which wraps what fails in a field: a null where the schema allows none is a fault of ours.
  const originalError = error.originalError ?? (path ? new Error(message) : null);
  if (!source) return new GraphQLError(message, { path, originalError });
  const starts = [0, ...[...source.body.matchAll(/\r\n|[\n\r]/g)].map((end) => end.index + end[0].length)];
  const positions = locations.map(({ line, column }) => (starts[line - 1] ?? 0) + column - 1);
  return new GraphQLError(message, { source, positions, path, originalError });
}

function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = fragmentsOf(document);
  const sizes = new Map<string, number>();

  const sizeOfFragment = (name: string): number => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    const fragment = fragments.get(name);
    const size = fragment ? sizeOf(fragment.selectionSet) : 0;
    sizes.set(name, size);
    return size;
  };
  const sizeOf = (set: SelectionSetNode): number =>
    set.selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + sizeOfFragment(selection.name.value);
      if (selection.kind === Kind.FIELD && selection.name.value.startsWith('__')) {
        return sum + (selection.name.value === '__typename' ? 1 : Number.POSITIVE_INFINITY);
      }
      return sum + 1 + (selection.selectionSet ? sizeOf(selection.selectionSet) : 0);
    }, 0);

  return sizeOf(operation.selectionSet);
}
