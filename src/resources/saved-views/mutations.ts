import { builder } from '../../graphql/schema/builder.ts';
import {
  badMutationInput,
  checkedInput,
  deletedPayload,
  mutation,
  payloadType,
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

type Payload = { view?: SavedView };

const payload = (name: string, description: string) =>
  payloadType<Payload>(name, description, (t) => ({
    savedView: t.field({
      type: SavedViewType,
      nullable: true,
      description: 'The view as it is now; null when the mutation was refused.',
      resolve: ({ view }) => view,
    }),
  }));
const CreatePayload = payload('CreateSavedViewPayload', 'The view that was saved.');
const RenamePayload = payload('RenameSavedViewPayload', 'The view that was renamed.');
const DeletePayload = deletedPayload('SavedView', 'The view that was deleted.', 'view', 'viewId');

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

mutation('createSavedView', {
  payload: CreatePayload,
  input: CreateInput,
  operation: 'createSavedView',
  description: `Saves the address of a page of the explorer under a name. An account has at most ${MAX_VIEWS}, in every tier.`,
  run: async (ctx, input) => ({ view: await saveView(ctx, checkedInput(NewView, { ...input })) }),
});

mutation('renameSavedView', {
  payload: RenamePayload,
  input: RenameInput,
  operation: 'renameSavedView',
  description: 'Renames a saved view.',
  async run(ctx, input) {
    const [id, { name }] = collectFaults(
      () => checkViewId(input.viewId),
      () => checkedInput(ViewName, { name: input.name }),
    );
    return { view: await renameView(ctx, id, name) };
  },
});

mutation('deleteSavedView', {
  payload: DeletePayload,
  input: DeleteInput,
  operation: 'deleteSavedView',
  description: 'Deletes a saved view.',
  async run(ctx, input) {
    const deleted = checkViewId(input.viewId);
    await deleteView(ctx, deleted);
    return { deleted };
  },
});
