import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
import { badInput } from '../../kernel/refusal.ts';

/** PostgreSQL holds no NUL: a text with one is refused here, wherever it stands, as REST refuses it in a parameter. */
const message = (name: string) => `${name} contains a NUL character.`;

/** The validation rule for the texts of a document. */
export const NulRule = (context: ValidationContext): ASTVisitor => ({
  StringValue(node) {
    if (!node.value.includes('\0')) return;
    const extensions = { code: 'BAD_INPUT' };
    context.reportError(new GraphQLError(message('A text'), { nodes: node, extensions }));
  },
});

/** Refuses variables with a NUL in any text of theirs. */
export function refuseNul(variables: object): void {
  for (const [name, variable] of Object.entries(variables)) {
    if (hasNul(variable)) throw badInput([{ loc: ['variable', name], msg: message(name), type: 'nul' }]);
  }
}

/** Whether a value has a NUL in any text of its own. */
export function hasNul(variable: unknown): boolean {
  const left = [variable]; // a list and no recursion: a body holds 100,000 levels of nesting
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && value.includes('\0')) return true;
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) left.push(inner);
  }
  return false;
}
