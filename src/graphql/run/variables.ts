import {
  type ASTNode,
  type ASTVisitor,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  type ValidationContext,
  type VariableDefinitionNode,
} from 'graphql';
import { badInput, quoted } from '../../kernel/refusal.ts';
import { unstorable } from '../../kernel/storable.ts';

type Place = { name: string; loc: (string | number)[] };

function textRefusal(text: string, { name, loc }: Place) {
  const wrong = unstorable(text);
  if (!wrong) return undefined;
  return badInput([
    { loc, msg: `${name} is ${quoted(text)}, which contains ${wrong.has}.`, type: wrong.type },
  ]);
}

type Ancestor = ASTNode | readonly ASTNode[];

/** The argument and the fields of its input around a literal, or the variable whose default it is. */
function placeOf(ancestors: readonly Ancestor[]): Place {
  const nodes = ancestors.filter((each): each is ASTNode => 'kind' in each);
  const variable = nodes.find(({ kind }) => kind === Kind.VARIABLE_DEFINITION) as VariableDefinitionNode;
  if (variable) return variablePlace([variable.variable.name.value]);
  const names = nodes
    .filter((node) => node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD)
    .map(({ name }) => name.value);
  return { name: names.join('.'), loc: ['argument', ...names] };
}

const variablePlace = (path: (string | number)[]): Place => ({
  name: `$${path.join('.')}`,
  loc: ['variable', ...path],
});

/** Refuses literals that PostgreSQL cannot store. */
export const TextRule = (context: ValidationContext): ASTVisitor => ({
  StringValue(node, _key, parent, _path, ancestors) {
    const originalError = textRefusal(node.value, placeOf(parent ? [...ancestors, parent] : ancestors));
    if (originalError)
      context.reportError(new GraphQLError(originalError.message, { nodes: node, originalError }));
  },
});

type Inner = { key: string | number; value: unknown; of: Inner | undefined };
const MAX_PATH = 20;

function pathTo(inner: Inner): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Inner | undefined = inner; at; at = at.of) path.unshift(at.key);
  return path.slice(0, MAX_PATH);
}

/** Refuses texts in variables that PostgreSQL cannot store. */
export function checkTexts(variables: object): void {
  const innerOf = (value: object, of?: Inner) =>
    Object.entries(value).map(([key, each]) => ({
      key: Array.isArray(value) ? Number(key) : key,
      value: each,
      of,
    }));
  const left: Inner[] = innerOf(variables).reverse(); // a stack, because a body can nest 100,000 levels
  for (let inner = left.pop(); inner; inner = left.pop()) {
    const { value } = inner;
    if (typeof value === 'string' && unstorable(value))
      throw textRefusal(value, variablePlace(pathTo(inner)));
    if (typeof value === 'object' && value !== null)
      for (const each of innerOf(value, inner)) left.push(each);
  }
}

const MAX_ERRORS = 5;

/** graphql-js would quote a faulty variable in up to 50 errors. */
export function variableErrors({ schema, document, operationName, variableValues }: ExecutionArgs) {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return getVariableValues(schema, definitions, variableValues ?? {}, { maxErrors: MAX_ERRORS }).errors;
}

/** More than the inputs of any sensible query have. */
const MOST_KEYS = 60;

/**
 * Whether the query must not run compiled, where texts are not checked, and where graphql-jit would quote a faulty
 * variable once for each unknown key.
 */
export function areUnusual(variables: object): boolean {
  let keys = 0;
  for (const value of valuesIn(variables)) {
    if (typeof value === 'string' && unstorable(value)) return true;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    keys += Object.keys(value).length;
    if (keys > MOST_KEYS) return true;
  }
  return false;
}

function* valuesIn(variable: unknown): Generator<unknown> {
  const left = [variable]; // a stack, because a body can nest 100,000 levels
  while (left.length > 0) {
    const value = left.pop();
    yield value;
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) left.push(inner);
  }
}
