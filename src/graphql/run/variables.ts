import {
  type ASTVisitor,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type ValidationContext,
} from 'graphql';
import { badInput } from '../../kernel/refusal.ts';

/** PostgreSQL cannot store NUL. */
const message = (name: string) => `${name} contains a NUL character.`;

export const NulRule = (context: ValidationContext): ASTVisitor => ({
  StringValue(node) {
    if (!node.value.includes('\0')) return;
    const extensions = { code: 'BAD_INPUT' };
    context.reportError(new GraphQLError(message('A text'), { nodes: node, extensions }));
  },
});

export function refuseNul(variables: object): void {
  for (const [name, variable] of Object.entries(variables)) {
    if (hasNul(variable)) throw badInput([{ loc: ['variable', name], msg: message(name), type: 'nul' }]);
  }
}

function hasNul(variable: unknown): boolean {
  for (const value of valuesIn(variable)) if (typeof value === 'string' && value.includes('\0')) return true;
  return false;
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
 * Whether the query must not run compiled, where a NUL is not refused, and where graphql-jit would quote a faulty
 * variable once for each unknown key.
 */
export function areUnusual(variables: object): boolean {
  let keys = 0;
  for (const value of valuesIn(variables)) {
    if (typeof value === 'string' && value.includes('\0')) return true;
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
