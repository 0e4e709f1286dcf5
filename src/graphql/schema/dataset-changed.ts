import { datasetTables } from '../../db/changes/datasets.ts';
import { type ListedDataset, listDatasets } from '../../db/changes/revisions.ts';
import { badArgument, badInput, quoted } from '../../kernel/refusal.ts';
import { Topic } from '../live/topic.ts';
import { builder } from './builder.ts';
import { DatasetType } from './datasets.ts';

const known = Object.keys(datasetTables);

function checkNames(names: readonly string[]): void {
  if (names.length > known.length)
    throw badArgument('names', `names has ${names.length} entries; there are ${known.length} datasets.`);
  const faults = names.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [
          {
            loc: ['argument', 'names', index],
            msg: `names.${index} is ${quoted(name)}; one of ${known.join(', ')} is needed.`,
            type: 'value_error',
          },
        ],
  );
  if (names.length === 0)
    faults.push({
      loc: ['argument', 'names'],
      msg: 'names is empty; leave it out for all.',
      type: 'value_error',
    });
  if (faults.length > 0) throw badInput(faults);
}

type Changed = { datasets: ListedDataset[] };

function changes(names: readonly string[]) {
  const wanted = [...new Set(names)].sort();
  return new Topic<Changed>({
    operation: 'datasetChanged',
    key: wanted,
    datasets: wanted,
    async read(ctx, position) {
      const present = (await listDatasets(ctx.db)).filter(({ name }) => wanted.includes(name));
      const before = new Map<string, number>(position === undefined ? [] : JSON.parse(position));
      const datasets = present.filter(({ name, revision }) => before.get(name) !== revision);
      const now = JSON.stringify(present.map(({ name, revision }) => [name, revision]));
      if (position !== undefined && datasets.length === 0) return { position: now, rows: 0 };
      return { position: now, event: { datasets }, rows: datasets.length };
    },
  });
}

const DatasetChangedPayload = builder.objectRef<Changed>('DatasetChangedPayload').implement({
  description: 'Datasets that changed.',
  fields: (t) => ({
    datasets: t.field({
      type: [DatasetType],
      extensions: { rows: known.length },
      description: 'By name: in the first event every requested dataset, then those that changed.',
      resolve: (event) => event.datasets,
    }),
  }),
});

builder.subscriptionField('datasetChanged', (t) =>
  t.field({
    type: DatasetChangedPayload,
    nullable: true,
    extensions: { operation: 'datasetChanged' },
    description:
      'Datasets with their revisions, at first and whenever an import, a refresh or an index changes them. Changes in quick succession may come in one event.',
    args: {
      names: t.arg.stringList({ description: 'Names of datasets, as in the import; default: all.' }),
    },
    subscribe: (_root, { names }) => {
      if (names) checkNames(names);
      return changes(names ?? known);
    },
    resolve: (event) => event,
  }),
);
