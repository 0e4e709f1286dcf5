import { builder } from '../../graphql/schema/builder.ts';
import { columns, renamed } from '../../graphql/schema/columns.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { loadView } from './loaders.ts';
import { MAX_VIEWS, SavedView } from './record.ts';
import { savedViews } from './resolve.ts';

export const SavedViewType = builder.objectRef<SavedView>('SavedView');
node(SavedViewType, {
  description:
    'The address of a page of the explorer under a name. Visible only to the account that has saved it.',
  id: (row) => row.id,
  load: (id, ctx) => loadView(ctx, id),
  fields: (t) => ({
    viewId: renamed(t, 'id', 'Identifier of the view, a UUID.'),
    ...columns(t, SavedView.omit({ id: true })),
  }),
});

builder.queryField('savedViews', (t) =>
  t.field({
    type: [SavedViewType],
    extensions: { operation: 'savedViews', rows: MAX_VIEWS },
    description: `Pages of the explorer that the account has saved, by name; at most ${MAX_VIEWS}. REST has no such path.`,
    resolve: (_root, _args, ctx) => savedViews(ctx),
  }),
);
