import type { FieldMap, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { computeUnits } from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';
import { bodyFaults } from '../../kernel/body.ts';
import { capitalized } from '../../kernel/names.ts';
import { badInput, Refusal, type RefusalCode } from '../../kernel/refusal.ts';
import { builder, globalIdOf, type Schema } from './builder.ts';
import type { FieldsOf } from './columns.ts';
import type { Reads } from './field-cost.ts';

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

type Outcome = { userErrors: UserError[] };

/** A payload with `userErrors`; its other fields are empty when the mutation was refused. */
export const payloadType = <Payload extends object>(
  name: string,
  description: string,
  fields: (t: FieldsOf<Payload>) => FieldMap,
): ObjectRef<Schema, Payload> =>
  builder.objectRef<Payload & Outcome>(name).implement({
    description,
    fields: (t) => ({
      ...fields(t as never),
      userErrors: t.field({
        type: [UserErrorType],
        description: 'Why the mutation was refused; empty on success.',
        resolve: (payload) => payload.userErrors,
      }),
    }),
  }) as unknown as ObjectRef<Schema, Payload>;

/** The payload of a deletion: the id of what was deleted, both as a global id of `type` and as the field `idField`. */
export function deletedPayload(
  type: string,
  description: string,
  noun: string,
  idField: string,
): ObjectRef<Schema, { deleted?: string }> {
  const refused = 'null when the mutation was refused.';
  return payloadType(`Delete${type}Payload`, description, (t) => ({
    deletedId: t.id({
      nullable: true,
      description: `Global id of the deleted ${noun}, for client caches; ${refused}`,
      resolve: ({ deleted }) => deleted && globalIdOf(type, deleted),
    }),
    [`deleted${capitalized(idField)}`]: t.string({
      nullable: true,
      description: `\`${idField}\` of the deleted ${noun}; ${refused}`,
      resolve: ({ deleted }) => deleted,
    }),
  }));
}

const shownCodes = new Set<RefusalCode>(['BAD_INPUT', 'FORBIDDEN', 'NOT_FOUND']);

/** Returns refusals as `userErrors` if the caller can fix them. */
async function mutate<T extends object>(ctx: Context, work: () => Promise<T>): Promise<Partial<T> & Outcome> {
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

type Mutation<Payload extends object, Input> = {
  payload: ObjectRef<Schema, Payload>;
  input: { $inferInput: Input };
  operation: keyof typeof computeUnits;
  reads?: Reads;
  description: string;
  run: (ctx: Context, input: Input) => Promise<Payload>;
};

/** Nullable, because a failure must not null the committed results of other mutations. */
export function mutation<Payload extends object, Input>(
  name: string,
  { payload, input, operation, reads, description, run }: Mutation<Payload, Input>,
): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: payload,
      nullable: true,
      extensions: { operation, ...(reads && { reads }) },
      description,
      args: { input: t.arg({ type: input as never, required: true, description: 'The input.' }) },
      resolve: (_root, given, ctx) => mutate(ctx, () => run(ctx, given.input as Input)) as never,
    }),
  );
}

/** Throws BAD_INPUT with the fields of `input` that are wrong. */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (!read.success) throw badInput(bodyFaults(read.error, 'input'));
  return read.data;
}

export const badMutationInput = (name: string, msg: string) =>
  badInput([{ loc: ['input', name], msg, type: 'format' }]);
