import { datasetTables } from '../../db/changes/datasets.ts';
import { type Dataset, readDatasets } from '../../db/changes/revisions.ts';
import { builder } from './builder.ts';

const DatasetType = builder.objectRef<Dataset>('Dataset').implement({
  description: 'A published dataset, and how often it has changed.',
  fields: (t) => ({
    name: t.string({ description: 'Its name, as in the import.', resolve: (row) => row.name }),
    revision: t.int({
      description: 'Number of its committed changes, >= 1; responses have it in `extensions.revision`.',
      resolve: (row) => row.revision,
    }),
    refreshedAt: t.expose('refreshedAt', {
      type: 'DateTime',
      description: 'When it last changed.',
    }),
  }),
});

builder.queryField('datasets', (t) =>
  t.field({
    type: [DatasetType],
    extensions: { operation: 'datasets', rows: Object.keys(datasetTables).length },
    description: 'Every dataset ever written, by name.',
    resolve: (_root, _args, ctx) => readDatasets(ctx.db),
  }),
);
