import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
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

const MOST_KEYS = 60;

/** Whether graphql-jit would misread the variables, or write each of many unknown keys into an error. */
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
