import { byKey } from '../../db/batch/loaders.ts';
import { reader } from '../../db/batch/readers.ts';
import { datasetTables } from '../../db/changes/datasets.ts';
import {
  type DatasetGap,
  type DatasetKeptFrom,
  type DatasetOrigin,
  type ListedDataset,
  listDatasets,
} from '../../db/changes/revisions.ts';
import type { Queryable } from '../../db/pool.ts';
import { builder } from './builder.ts';
import { node } from './nodes.ts';

const Origin = builder.enumType('DatasetOriginKind', {
  description: 'How rows came into a dataset.',
  values: {
    INDEX: { value: 'index', description: 'From a beacon node, by `stakegraph index`.' },
    IMPORT: { value: 'import', description: 'From files.' },
    MIRROR: { value: 'mirror', description: 'From another service of this interface.' },
    SAMPLE: { value: 'sample', description: 'Generated sample data.' },
  } as const,
});

const OriginType = builder.objectRef<DatasetOrigin>('DatasetOrigin').implement({
  description: 'Where rows of a dataset come from.',
  fields: (t) => ({
    network: t.exposeString('network', {
      nullable: true,
      description: 'Network of the rows; null for datasets without Ethereum networks.',
    }),
    origin: t.field({
      type: Origin,
      description: 'How they came.',
      resolve: (row) => row.origin as 'index',
    }),
  }),
});

const KeptType = builder.objectRef<DatasetKeptFrom>('DatasetKeptFrom').implement({
  description: 'From which date on facts of a dataset are kept.',
  fields: (t) => ({
    network: t.exposeString('network', { description: 'Network of the rows.' }),
    facts: t.exposeString('facts', {
      description: 'Which rows of the dataset, as in `stakegraph retain`: "attestation-hours".',
    }),
    date: t.expose('date', { type: 'Date', description: 'Rows before this UTC date were dropped.' }),
  }),
});

const GapType = builder.objectRef<DatasetGap>('DatasetMissingEpochs').implement({
  description: 'Epochs that an index has left out between those that it has stored.',
  fields: (t) => ({
    network: t.exposeString('network', { description: 'Network of the epochs.' }),
    firstEpoch: t.exposeInt('firstEpoch', { description: 'First epoch that was left out.' }),
    lastEpoch: t.exposeInt('lastEpoch', { description: 'Last epoch that was left out, inclusive.' }),
  }),
});

const loadDataset = reader({
  keyOf: (name: string) => name,
  load: async (db: Queryable) => byKey(await listDatasets(db), ({ name }) => name),
});

export const DatasetType = builder.objectRef<ListedDataset>('Dataset');
node(DatasetType, {
  description: 'A published dataset, and how often it has changed.',
  id: ({ name }) => name,
  load: (name, ctx) => loadDataset(ctx, name),
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
    origins: t.field({
      type: [OriginType],
      extensions: { rows: 6 },
      description:
        'Where its rows come from, by network; empty for rows stored before origins were recorded. Figures that a refresh computes have the origin of their facts.',
      resolve: (row) => row.origins,
    }),
    keptFrom: t.field({
      type: [KeptType],
      extensions: { rows: 6 },
      description:
        'Where `stakegraph retain` has dropped old rows, by network; empty if it has dropped none. Dropped time answers like time that was never stored.',
      resolve: (row) => row.keptFrom,
    }),
    missingEpochs: t.field({
      type: [GapType],
      extensions: { rows: 6 },
      description:
        'Where `stakegraph index` has left epochs out, because no node had their states any more, by network and epoch; empty if it has left out none, or does not write the dataset. These epochs answer like time that was never stored, except for rows that were imported.',
      resolve: (row) => row.missingEpochs,
    }),
  }),
});

builder.queryField('datasets', (t) =>
  t.field({
    type: [DatasetType],
    extensions: { operation: 'datasets', rows: Object.keys(datasetTables).length },
    description: 'Every dataset ever written, by name.',
    resolve: (_root, _args, ctx) => listDatasets(ctx.db),
  }),
);
