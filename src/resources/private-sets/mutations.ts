import type { z } from 'zod';
import { builder, globalIdOf } from '../../graphql/schema/builder.ts';
import type { FieldsOf } from '../../graphql/schema/columns.ts';
import { NetworkEnum } from '../../graphql/schema/enums.ts';
import type { Reads } from '../../graphql/schema/field-cost.ts';
import {
  badMutationInput,
  checkedInput,
  mutate,
  type Outcome,
  outcome,
} from '../../graphql/schema/user-errors.ts';
import { ValidatorBy } from '../../graphql/schema/validator-by.ts';
import { collectFaults } from '../../kernel/refusal.ts';
import { readValidatorName, type ValidatorName, type ValidatorNames } from '../validators/record.ts';
import { checkSetId, PrivateSetType } from './graphql.ts';
import type { SetRow } from './queries.ts';
import { MAX_ADDED, NewSet, SetName, SetValidators } from './record.ts';
import { addValidators, createSet, deleteSet, removeValidators, renameSet } from './resolve.ts';

const inputOf = <Schema extends z.ZodType>(setId: string, schema: Schema, rest: unknown) =>
  collectFaults(
    () => checkSetId(setId, badMutationInput),
    () => checkedInput(schema, rest),
  );

const referenceOf = ({ index, pubkey }: ValidatorNames) => index ?? pubkey;

type Payload = Outcome & { set?: SetRow; pubkeysAdded?: string[]; deletedSetId?: string };

const changed = (t: FieldsOf<Payload>) => ({
  privateSet: t.field({
    type: PrivateSetType,
    nullable: true,
    description: 'The set as it is now; null when the mutation was refused.',
    resolve: (payload) => payload.set,
  }),
  ...outcome(t),
});

const payload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({ description, fields: changed });
const CreatePayload = payload('CreatePrivateSetPayload', 'The private set that was created.');
const RenamePayload = payload('RenamePrivateSetPayload', 'The private set that was renamed.');
const RemovePayload = payload('RemovePrivateSetValidatorsPayload', 'The private set without the validators.');
const AddPayload = builder.objectRef<Payload>('AddPrivateSetValidatorsPayload').implement({
  description: 'The private set with the validators.',
  fields: (t) => ({
    ...changed(t),
    pubkeysAdded: t.stringList({
      description: 'Public keys of the validators that were not in the set before, by index.',
      resolve: ({ pubkeysAdded }) => pubkeysAdded ?? [],
    }),
  }),
});
const DeletePayload = builder.objectRef<Payload>('DeletePrivateSetPayload').implement({
  description: 'The private set that was deleted.',
  fields: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'Global id of the deleted set, for client caches; null when the mutation was refused.',
      resolve: ({ deletedSetId }) => deletedSetId && globalIdOf('PrivateSet', deletedSetId),
    }),
    deletedSetId: t.string({
      nullable: true,
      description: '`setId` of the deleted set; null when the mutation was refused.',
      resolve: ({ deletedSetId }) => deletedSetId,
    }),
    ...outcome(t),
  }),
});

const setIdText = '`setId` of the set, a UUID.';
const nameText = 'Name, 1 to 100 characters; an account may use a name more than once.';
const networkText = 'Network of its validators; default: that of the network header, else MAINNET.';
const many = `Validators, 1 to ${MAX_ADDED}.`;

const CreateInput = builder.inputType('CreatePrivateSetInput', {
  description: 'A private set to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: nameText }),
    network: t.field({ type: NetworkEnum, description: networkText }),
    validators: t.field({ type: [ValidatorBy], description: `Its first validators, at most ${MAX_ADDED}.` }),
  }),
});
const AddInput = builder.inputType('AddPrivateSetValidatorsInput', {
  description: 'Validators to add to a private set.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setIdText }),
    validators: t.field({ type: [ValidatorBy], required: true, description: many }),
  }),
});
const RemoveInput = builder.inputType('RemovePrivateSetValidatorsInput', {
  description: 'Validators to remove from a private set.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setIdText }),
    validators: t.field({ type: [ValidatorBy], required: true, description: many }),
  }),
});
const RenameInput = builder.inputType('RenamePrivateSetInput', {
  description: 'A private set and its new name.',
  fields: (t) => ({
    setId: t.id({ required: true, description: setIdText }),
    name: t.string({ required: true, description: nameText }),
  }),
});
const DeleteInput = builder.inputType('DeletePrivateSetInput', {
  description: 'A private set to delete.',
  fields: (t) => ({ setId: t.id({ required: true, description: setIdText }) }),
});

function removedValidators(given: readonly ValidatorNames[]): ValidatorName[] {
  const { validators } = checkedInput(SetValidators, { validators: given.map(referenceOf) });
  return validators.map((one) => readValidatorName(String(one)) as ValidatorName);
}

builder.mutationType({
  description: 'All mutations. They change data of the account, as the REST paths for tags do.',
});

/** Their days are summed up for the set. */
const daysOfMembers: Reads = ({ args, network, sizes }) => {
  const { validators, network: given } = args.input as {
    validators?: unknown[] | null;
    network?: string | null;
  };
  return (validators ?? []).length * sizes.days((given ?? network).toLowerCase());
};

const inputText = 'The input.';
// Nullable, because a failure must not null the committed results of other mutations.
builder.mutationField('createPrivateSet', (t) =>
  t.field({
    type: CreatePayload,
    nullable: true,
    extensions: { operation: 'createTag', reads: daysOfMembers },
    description:
      'Creates a private set of validators. Sets per account: build 4, growth 20, enterprise any number, free and starter none. REST: POST /v1/eth/tags.',
    args: { input: t.arg({ type: CreateInput, required: true, description: inputText }) },
    resolve: (_root, { input: { name, network, validators } }, ctx) =>
      mutate(ctx, async () => {
        const tag = checkedInput(NewSet, { name, validators: (validators ?? []).map(referenceOf) });
        return { set: await createSet(ctx, network ?? ctx.network, tag, 'input') };
      }),
  }),
);

builder.mutationField('addPrivateSetValidators', (t) =>
  t.field({
    type: AddPayload,
    nullable: true,
    extensions: { operation: 'addTagValidators', reads: daysOfMembers },
    description:
      'Adds validators to a private set. They count on all stored days; a validator that was removed before counts from the day of its return. REST: POST /v1/eth/tags/{id}/validators.',
    args: { input: t.arg({ type: AddInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const given = { validators: input.validators.map(referenceOf) };
        const [id, { validators }] = inputOf(input.setId, SetValidators, given);
        const { tag: set, pubkeysAdded } = await addValidators(ctx, id, validators, ['input', 'validators']);
        return { set, pubkeysAdded };
      }),
  }),
);

builder.mutationField('removePrivateSetValidators', (t) =>
  t.field({
    type: RemovePayload,
    nullable: true,
    extensions: { operation: 'removeTagValidator' },
    description:
      'Removes validators from a private set, all or none: they stop counting today (UTC) and still count on earlier days. REST: DELETE /v1/eth/tags/{id}/validators/{pubkey}.',
    args: { input: t.arg({ type: RemoveInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const [id, names] = collectFaults(
          () => checkSetId(input.setId, badMutationInput),
          () => removedValidators(input.validators),
        );
        return { set: await removeValidators(ctx, id, names, 'validators') };
      }),
  }),
);

builder.mutationField('renamePrivateSet', (t) =>
  t.field({
    type: RenamePayload,
    nullable: true,
    extensions: { operation: 'renameTag' },
    description: 'Renames a private set. REST: PATCH /v1/eth/tags/{id}.',
    args: { input: t.arg({ type: RenameInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const [id, { name }] = inputOf(input.setId, SetName, { name: input.name });
        return { set: await renameSet(ctx, id, name) };
      }),
  }),
);

builder.mutationField('deletePrivateSet', (t) =>
  t.field({
    type: DeletePayload,
    nullable: true,
    extensions: { operation: 'deleteTag' },
    description: 'Deletes a private set with all its figures. REST: DELETE /v1/eth/tags/{id}.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const deletedSetId = checkSetId(input.setId, badMutationInput);
        await deleteSet(ctx, deletedSetId);
        return { deletedSetId };
      }),
  }),
);
