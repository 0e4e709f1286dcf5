import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { bodyFaults } from '../../kernel/body.ts';
import { badInput, Refusal, type RefusalCode } from '../../kernel/refusal.ts';
import { builder } from './builder.ts';
import type { FieldsOf } from './columns.ts';

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'Why a mutation was refused.',
  values: {
    BAD_INPUT: { description: 'An input is invalid.' },
    FORBIDDEN: {
      description: 'The tier of the account does not allow it, or the account has as many as it may.',
    },
    NOT_FOUND: {
      description: 'The account has no such set or saved view, or the set has no such validator.',
    },
  } as const,
});
type UserError = { field: string[] | null; message: string; code: 'BAD_INPUT' | 'FORBIDDEN' | 'NOT_FOUND' };
const UserErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'A fault that the caller can fix; nothing was changed.',
  fields: (t) => ({
    field: t.stringList({
      nullable: true,
      description:
        'Path of the wrong input, such as `["validators", "3"]`; null when no single input is wrong.',
      resolve: (error) => error.field,
    }),
    message: t.exposeString('message', { description: 'What is wrong and what would be right.' }),
    code: t.field({ type: UserErrorCode, description: 'The kind of fault.', resolve: (error) => error.code }),
  }),
});

export type Outcome = { userErrors: UserError[] };
export const outcome = <P extends Outcome>(t: FieldsOf<P>) => ({
  userErrors: t.field({
    type: [UserErrorType],
    description: 'Why the mutation was refused; empty on success.',
    resolve: (payload) => payload.userErrors,
  }),
});

const shownCodes = new Set<RefusalCode>(['BAD_INPUT', 'FORBIDDEN', 'NOT_FOUND']);

/** Returns refusals as `userErrors` if the caller can fix them. */
export async function mutate<T extends object>(
  ctx: Context,
  work: () => Promise<T>,
): Promise<Partial<T> & Outcome> {
  try {
    const done = await work();
    return { ...done, userErrors: [] };
  } catch (error) {
    if (!(error instanceof Refusal) || !shownCodes.has(error.code)) throw error;
    const code = error.code as UserError['code'];
    const faults = error.faults ?? [{ loc: [], msg: error.message }];
    const userErrors = faults.map(({ loc, msg }) => ({
      field: loc.length > 1 ? loc.slice(1).map(String) : null,
      message: msg,
      code,
    }));
    return { userErrors } as unknown as Partial<T> & Outcome;
  } finally {
    ctx.loaders.clear(); // drops rows that were cached before the change
  }
}

/** Throws BAD_INPUT with the fields of `input` that are wrong. */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (!read.success) throw badInput(bodyFaults(read.error, 'input'));
  return read.data;
}

export const badMutationInput = (name: string, msg: string) =>
  badInput([{ loc: ['input', name], msg, type: 'format' }]);
