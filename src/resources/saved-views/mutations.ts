import { builder, globalIdOf } from '../../graphql/schema/builder.ts';
import {
  badMutationInput,
  checkedInput,
  mutate,
  type Outcome,
  outcome,
} from '../../graphql/schema/user-errors.ts';
import { collectFaults, quoted } from '../../kernel/refusal.ts';
import { SavedViewType } from './graphql.ts';
import { MAX_VIEWS, NewView, readViewId, type SavedView, ViewName } from './record.ts';
import { deleteView, renameView, saveView } from './resolve.ts';

function checkViewId(given: string): string {
  const id = readViewId(given);
  if (id === undefined) throw badMutationInput('viewId', `viewId is ${quoted(given)}; a UUID is needed.`);
  return id;
}

type Payload = Outcome & { view?: SavedView; deletedViewId?: string };

const payload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({
    description,
    fields: (t) => ({
      savedView: t.field({
        type: SavedViewType,
        nullable: true,
        description: 'The view as it is now; null when the mutation was refused.',
        resolve: ({ view }) => view,
      }),
      ...outcome(t),
    }),
  });
const CreatePayload = payload('CreateSavedViewPayload', 'The view that was saved.');
const RenamePayload = payload('RenameSavedViewPayload', 'The view that was renamed.');
const DeletePayload = builder.objectRef<Payload>('DeleteSavedViewPayload').implement({
  description: 'The view that was deleted.',
  fields: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'Global id of the deleted view, for client caches; null when the mutation was refused.',
      resolve: ({ deletedViewId }) => deletedViewId && globalIdOf('SavedView', deletedViewId),
    }),
    deletedViewId: t.string({
      nullable: true,
      description: '`viewId` of the deleted view; null when the mutation was refused.',
      resolve: ({ deletedViewId }) => deletedViewId,
    }),
    ...outcome(t),
  }),
});

const idText = '`viewId` of the view, a UUID.';
const nameText = 'Name, 1 to 100 characters, which no other view of the account has.';

const CreateInput = builder.inputType('CreateSavedViewInput', {
  description: 'A page of the explorer to save.',
  fields: (t) => ({
    name: t.string({ required: true, description: nameText }),
    path: t.string({
      required: true,
      description:
        'Path and query of the page, from the address of the gateway on: `/`, or below `/explore`; at most 2000 characters.',
    }),
  }),
});
const RenameInput = builder.inputType('RenameSavedViewInput', {
  description: 'A saved view and its new name.',
  fields: (t) => ({
    viewId: t.id({ required: true, description: idText }),
    name: t.string({ required: true, description: nameText }),
  }),
});
const DeleteInput = builder.inputType('DeleteSavedViewInput', {
  description: 'A saved view to delete.',
  fields: (t) => ({ viewId: t.id({ required: true, description: idText }) }),
});

const inputText = 'The input.';
// Nullable, because a failure must not null the committed results of other mutations.
builder.mutationField('createSavedView', (t) =>
  t.field({
    type: CreatePayload,
    nullable: true,
    extensions: { operation: 'createSavedView' },
    description: `Saves the address of a page of the explorer under a name. An account has at most ${MAX_VIEWS}, in every tier.`,
    args: { input: t.arg({ type: CreateInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => ({ view: await saveView(ctx, checkedInput(NewView, { ...input })) })),
  }),
);

builder.mutationField('renameSavedView', (t) =>
  t.field({
    type: RenamePayload,
    nullable: true,
    extensions: { operation: 'renameSavedView' },
    description: 'Renames a saved view.',
    args: { input: t.arg({ type: RenameInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const [id, { name }] = collectFaults(
          () => checkViewId(input.viewId),
          () => checkedInput(ViewName, { name: input.name }),
        );
        return { view: await renameView(ctx, id, name) };
      }),
  }),
);

builder.mutationField('deleteSavedView', (t) =>
  t.field({
    type: DeletePayload,
    nullable: true,
    extensions: { operation: 'deleteSavedView' },
    description: 'Deletes a saved view.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: inputText }) },
    resolve: (_root, { input }, ctx) =>
      mutate(ctx, async () => {
        const deletedViewId = checkViewId(input.viewId);
        await deleteView(ctx, deletedViewId);
        return { deletedViewId };
      }),
  }),
);
