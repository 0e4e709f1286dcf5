import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { builder, globalIdOf } from '../../graphql/schema/builder.ts';
import type { FieldsOf } from '../../graphql/schema/columns.ts';
import { NetworkEnum } from '../../graphql/schema/enums.ts';
import { bodyFaults } from '../../kernel/body.ts';
import { badInput, collectFaults, quoted, Refusal, type RefusalCode } from '../../kernel/refusal.ts';
import { readValidatorName, type ValidatorName } from '../validators/record.ts';
import { checkSetId, PrivateSet } from './graphql.ts';
import type { TagRow } from './queries.ts';
import { MAX_ADDED, NewTag, TagName, TagPubkeys } from './record.ts';
import { addValidators, createTag, deleteTag, removeValidator, renameTag } from './resolve.ts';

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'Why a mutation was refused.',
  values: {
    BAD_INPUT: { description: 'An input is invalid.' },
    FORBIDDEN: { description: 'The tier of the account does not allow it.' },
    NOT_FOUND: { description: 'The account has no such set, or the set no such validator.' },
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

const told = new Set<RefusalCode>(['BAD_INPUT', 'FORBIDDEN', 'NOT_FOUND']);

/** Turns refusals that the caller can fix into `userErrors`. */
async function mutate<T extends object>(
  ctx: Context,
  work: () => Promise<T>,
): Promise<Partial<T> & { userErrors: UserError[] }> {
  try {
    const done = await work();
    return { ...done, userErrors: [] };
  } catch (error) {
    if (!(error instanceof Refusal) || !told.has(error.code)) throw error;
    const code = error.code as UserError['code'];
    const faults = error.faults ?? [{ loc: [], msg: error.message }];
    const userErrors = faults.map(({ loc, msg }) => ({
      field: loc.length > 1 ? loc.slice(1).map(String) : null,
      message: msg,
      code,
    }));
    return { userErrors } as unknown as Partial<T> & { userErrors: UserError[] };
  } finally {
    ctx.loaders.clear(); // drops rows cached before the change
  }
}

/** Checks the input by the rules of REST's body. */
function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (!read.success) throw badInput(bodyFaults(read.error, 'input'));
  return read.data;
}

const inputOf = <Schema extends z.ZodType>(setId: string, schema: Schema, rest: unknown) =>
  collectFaults(
    () => checkSetId(setId, refuse),
    () => checked(schema, rest),
  );

function validatorOf(pubkey: string): ValidatorName {
  const name = readValidatorName(pubkey);
  if (!name) throw refuse('pubkey', `pubkey is ${quoted(pubkey)}; ${reference} is needed.`);
  return name;
}

const refuse = (name: string, msg: string) => badInput([{ loc: ['input', name], msg, type: 'format' }]);

type Payload = { tag?: TagRow; userErrors: UserError[] };
type Adding = Payload & { pubkeysAdded?: string[] };
type Deleting = { deletedSetId?: string; userErrors: UserError[] };

const outcome = <P extends { userErrors: UserError[] }>(t: FieldsOf<P>) => ({
  userErrors: t.field({
    type: [UserErrorType],
    description: 'Why the mutation was refused; empty on success.',
    resolve: (payload) => payload.userErrors,
  }),
});
const changed = <P extends Payload>(t: FieldsOf<P>) => ({
  tag: t.field({
    type: PrivateSet,
    nullable: true,
    description: 'The set as it is now; null when the mutation was refused.',
    resolve: (payload) => payload.tag,
  }),
  ...outcome(t),
});

const tagPayload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({ description, fields: changed });
const CreatePayload = tagPayload('CreateTagPayload', 'What `createTag` did.');
const RenamePayload = tagPayload('RenameTagPayload', 'What `renameTag` did.');
const RemovePayload = tagPayload('RemoveValidatorPayload', 'What `removeValidator` did.');
const AddPayload = builder.objectRef<Adding>('AddValidatorsPayload').implement({
  description: 'What `addValidators` did.',
  fields: (t) => ({
    ...changed(t),
    pubkeysAdded: t.stringList({
      description: 'Public keys of the new validators, by index.',
      resolve: (payload) => payload.pubkeysAdded ?? [],
    }),
  }),
});
const DeletePayload = builder.objectRef<Deleting>('DeleteTagPayload').implement({
  description: 'What `deleteTag` did.',
  fields: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'Global id of the deleted set, for client caches; null when the mutation was refused.',
      resolve: ({ deletedSetId }) => deletedSetId && globalIdOf('PrivateSet', deletedSetId),
    }),
    deletedSetId: t.string({
      nullable: true,
      description: '`setId` of the deleted set; null when the mutation was refused.',
      resolve: (payload) => payload.deletedSetId,
    }),
    ...outcome(t),
  }),
});

const name = 'Name, 1 to 100 characters; an account may use a name more than once.';
const reference = 'an index, or a public key of 0x and 96 hex digits';
const setId = '`setId` of the set, a UUID.';
const CreateInput = builder.inputType('CreateTagInput', {
  description: 'A tag to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: name }),
    network: t.field({
      type: NetworkEnum,
      description: 'Network of its validators; default: that of the network header, else MAINNET.',
    }),
    validators: t.stringList({
      description: `Its first validators, at most ${MAX_ADDED}, each by ${reference}.`,
    }),
  }),
});
const RenameInput = builder.inputType('RenameTagInput', {
  description: 'A new name of a tag.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setId }),
    name: t.string({ required: true, description: name }),
  }),
});
const DeleteInput = builder.inputType('DeleteTagInput', {
  description: 'A tag to delete.',
  fields: (t) => ({ setId: t.id({ required: true, description: setId }) }),
});
const AddInput = builder.inputType('AddValidatorsInput', {
  description: 'Validators to add to a set.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setId }),
    pubkeys: t.stringList({
      required: true,
      description: `1 to ${MAX_ADDED} validators, each by ${reference}.`,
    }),
  }),
});
const RemoveInput = builder.inputType('RemoveValidatorInput', {
  description: 'A validator to remove from a set.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setId }),
    pubkey: t.string({ required: true, description: `The validator, by ${reference}.` }),
  }),
});

builder.mutationType({
  description: 'All mutations. They change data of the account, as the REST paths for tags do.',
  fields: (t) => ({
    createTag: t.field({
      type: CreatePayload,
      nullable: true, // else a failure would null the results of other mutations, which are committed
      extensions: { operation: 'createTag' },
      description:
        'Creates a tag, which groups validators into a private set. Sets per account: build 4, growth 20, enterprise any number, free and starter none. REST: POST /v1/eth/tags.',
      args: { input: t.arg({ type: CreateInput, required: true, description: 'The tag.' }) },
      resolve: (_root, { input: { network, ...input } }, ctx) =>
        mutate(ctx, async () => {
          const tag = checked(NewTag, { ...input, validators: input.validators ?? [] });
          return { tag: await createTag(ctx, network ?? ctx.network, tag, 'input') };
        }),
    }),
    renameTag: t.field({
      type: RenamePayload,
      nullable: true,
      extensions: { operation: 'renameTag' },
      description: 'Renames a tag. REST: PATCH /v1/eth/tags/{id}.',
      args: { input: t.arg({ type: RenameInput, required: true, description: 'The tag and its name.' }) },
      resolve: (_root, { input }, ctx) =>
        mutate(ctx, async () => {
          const [id, { name }] = inputOf(input.setId, TagName, { name: input.name });
          return { tag: await renameTag(ctx, id, name) };
        }),
    }),
    deleteTag: t.field({
      type: DeletePayload,
      nullable: true,
      extensions: { operation: 'deleteTag' },
      description: 'Deletes a tag with the figures of its set. REST: DELETE /v1/eth/tags/{id}.',
      args: { input: t.arg({ type: DeleteInput, required: true, description: 'The tag.' }) },
      resolve: (_root, { input }, ctx) =>
        mutate(ctx, async () => {
          const deletedSetId = checkSetId(input.setId, refuse);
          await deleteTag(ctx, deletedSetId);
          return { deletedSetId };
        }),
    }),
    addValidators: t.field({
      type: AddPayload,
      nullable: true,
      extensions: { operation: 'addTagValidators' },
      description:
        'Adds validators to a set. They count on all stored days; a validator that was removed before counts from the day of its return. REST: POST /v1/eth/tags/{id}/validators.',
      args: { input: t.arg({ type: AddInput, required: true, description: 'The set and the validators.' }) },
      resolve: (_root, { input }, ctx) =>
        mutate(ctx, async () => {
          const [id, { pubkeys }] = inputOf(input.setId, TagPubkeys, { pubkeys: input.pubkeys });
          return addValidators(ctx, id, pubkeys, 'input');
        }),
    }),
    removeValidator: t.field({
      type: RemovePayload,
      nullable: true,
      extensions: { operation: 'removeTagValidator' },
      description:
        'Removes a validator: it stops counting today (UTC) and still counts on earlier days. REST: DELETE /v1/eth/tags/{id}/validators/{pubkey}.',
      args: {
        input: t.arg({ type: RemoveInput, required: true, description: 'The set and the validator.' }),
      },
      resolve: (_root, { input }, ctx) =>
        mutate(ctx, async () => {
          const [id, one] = collectFaults(
            () => checkSetId(input.setId, refuse),
            () => validatorOf(input.pubkey),
          );
          return { tag: await removeValidator(ctx, id, one) };
        }),
    }),
  }),
});
