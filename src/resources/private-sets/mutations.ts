import type { z } from 'zod';
import { builder } from '../../graphql/schema/builder.ts';
import type { FieldsOf } from '../../graphql/schema/columns.ts';
import { NetworkEnum } from '../../graphql/schema/enums.ts';
import type { Reads } from '../../graphql/schema/field-cost.ts';
import {
  badMutationInput,
  checkedInput,
  deletedPayload,
  mutation,
  payloadType,
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

type Payload = { set?: SetRow; pubkeysAdded?: string[] };

const changed = (t: FieldsOf<Payload>) => ({
  privateSet: t.field({
    type: PrivateSetType,
    nullable: true,
    description: 'The set as it is now; null when the mutation was refused.',
    resolve: (payload) => payload.set,
  }),
});

const CreatePayload = payloadType('CreatePrivateSetPayload', 'The private set that was created.', changed);
const RenamePayload = payloadType('RenamePrivateSetPayload', 'The private set that was renamed.', changed);
const RemovePayload = payloadType(
  'RemovePrivateSetValidatorsPayload',
  'The private set without the validators.',
  changed,
);
const AddPayload = payloadType<Payload>(
  'AddPrivateSetValidatorsPayload',
  'The private set with the validators.',
  (t) => ({
    ...changed(t),
    pubkeysAdded: t.stringList({
      description: 'Public keys of the validators that were not in the set before, by index.',
      resolve: ({ pubkeysAdded }) => pubkeysAdded ?? [],
    }),
  }),
);
const DeletePayload = deletedPayload('PrivateSet', 'The private set that was deleted.', 'set', 'setId');

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

/** Rows read: the days of the given validators, which are summed up for the set. */
const daysOfMembers: Reads = ({ args, network, sizes }) => {
  const { validators, network: given } = args.input as {
    validators?: unknown[] | null;
    network?: string | null;
  };
  return (validators ?? []).length * sizes.days((given ?? network).toLowerCase());
};

mutation('createPrivateSet', {
  payload: CreatePayload,
  input: CreateInput,
  operation: 'createTag',
  reads: daysOfMembers,
  description:
    'Creates a private set of validators. Sets per account: build 4, growth 20, enterprise any number, free and starter none. REST: POST /v1/eth/tags.',
  async run(ctx, { name, network, validators }) {
    const tag = checkedInput(NewSet, { name, validators: (validators ?? []).map(referenceOf) });
    return { set: await createSet(ctx, network ?? ctx.network, tag, 'input') };
  },
});

mutation('addPrivateSetValidators', {
  payload: AddPayload,
  input: AddInput,
  operation: 'addTagValidators',
  reads: daysOfMembers,
  description:
    'Adds validators to a private set. They count on all stored days; a validator that was removed before counts from the day of its return. REST: POST /v1/eth/tags/{id}/validators.',
  async run(ctx, input) {
    const given = { validators: input.validators.map(referenceOf) };
    const [id, { validators }] = inputOf(input.setId, SetValidators, given);
    const { tag: set, pubkeysAdded } = await addValidators(ctx, id, validators, ['input', 'validators']);
    return { set, pubkeysAdded };
  },
});

mutation('removePrivateSetValidators', {
  payload: RemovePayload,
  input: RemoveInput,
  operation: 'removeTagValidator',
  description:
    'Removes validators from a private set, all or none: they stop counting today (UTC) and still count on earlier days. REST: DELETE /v1/eth/tags/{id}/validators/{pubkey}.',
  async run(ctx, input) {
    const [id, names] = collectFaults(
      () => checkSetId(input.setId, badMutationInput),
      () => removedValidators(input.validators),
    );
    return { set: await removeValidators(ctx, id, names, 'validators') };
  },
});

mutation('renamePrivateSet', {
  payload: RenamePayload,
  input: RenameInput,
  operation: 'renameTag',
  description: 'Renames a private set. REST: PATCH /v1/eth/tags/{id}.',
  async run(ctx, input) {
    const [id, { name }] = inputOf(input.setId, SetName, { name: input.name });
    return { set: await renameSet(ctx, id, name) };
  },
});

mutation('deletePrivateSet', {
  payload: DeletePayload,
  input: DeleteInput,
  operation: 'deleteTag',
  description: 'Deletes a private set with all its figures. REST: DELETE /v1/eth/tags/{id}.',
  async run(ctx, input) {
    const deleted = checkSetId(input.setId, badMutationInput);
    await deleteSet(ctx, deleted);
    return { deleted };
  },
});
