import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import { asOfField } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, type FieldsOf, shareObject } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { summaryField, summarySelections } from '../../graphql/schema/summaries.ts';
import { loadOperator } from './loaders.ts';
import type { OperatorId, OperatorKey, OperatorNode, OperatorRow } from './queries.ts';
import {
  ClientPercentage,
  IdType,
  type OperatorField,
  OperatorProposals,
  OperatorSummary,
  operatorFields,
  RelayerPercentage,
} from './record.ts';

/** A row of a list also has the operator's summary in the window of the list, which is not read again. */
export const Operator = builder.objectRef<OperatorNode>('Operator');

/** Columns of REST that GraphQL does not read: an operator has one name and one list of tags there. */
const ofRest = ['id', 'displayName', 'operatorTags'];
export const operatorFigures: readonly OperatorField[] = [
  ...operatorFields.filter((name) => !ofRest.includes(name)),
  ...(Object.keys(OperatorProposals.shape) as OperatorField[]),
  'name',
  'tags',
  'change',
  'asOf',
];
export const operatorSelections = summarySelections('operator', operatorFigures, {
  name: 'displayName',
  tags: 'operatorTags',
});

const ClientPercentageType = shareObject(ClientPercentage);
const RelayerPercentageType = shareObject(RelayerPercentage);

const Figures = OperatorSummary.omit({ id: true, displayName: true }).extend(OperatorProposals.shape);

const figures = (t: FieldsOf<OperatorRow>) => ({
  ...columns(t, Figures),
  clientPercentages: exposed(t, 'clientPercentages', {
    type: [ClientPercentageType],
    stored: ClientPercentage,
    rows: 6,
    description: 'Consensus clients of the validators.',
  }),
  relayerPercentages: exposed(t, 'relayerPercentages', {
    type: [RelayerPercentageType],
    stored: RelayerPercentage,
    rows: 12,
    description: 'Relays of the proposed blocks.',
  }),
});

/** The id comes last, because it may contain colons. */
const nodeId = (row: OperatorKey) => [row.network, row.timeWindow, row.idType, row.id].join(':');

export function operatorOfNodeId(text: string): OperatorId | undefined {
  const [name, type, ...rest] = text.split(':');
  const [network, idType] = [Network.safeParse(name).data, IdType.safeParse(type).data];
  const id = rest.join(':');
  return network && idType && id ? { network, idType, id } : undefined;
}

function summaryOfNodeId(text: string): OperatorKey | undefined {
  const [network, window, ...rest] = text.split(':');
  const timeWindow = TimeWindow.safeParse(window).data;
  const operator = operatorOfNodeId([network, ...rest].join(':'));
  return operator && timeWindow && { ...operator, timeWindow };
}

export const OperatorSummaryType = builder.objectRef<OperatorRow>('OperatorSummary');
node(OperatorSummaryType, {
  description: OperatorSummary.meta()?.description as string,
  id: nodeId,
  load: async (id, ctx) => {
    const key = summaryOfNodeId(id);
    const row = key && (await loadOperator(ctx, key, operatorFigures));
    return row && { ...row }; // a copy: a row is marked with one type of GraphQL, and the same row may be an Operator elsewhere
  },
  fields: (t) => ({
    window: exposed(t, 'timeWindow', {
      type: TimeWindowEnum,
      column: 'timeWindow',
      description: 'Window that the figures cover.',
    }),
    ...figures(t),
    asOf: asOfField(t, ({ network, asOf }) => ({ network, epoch: asOf })),
    operator: t.field({ type: Operator, description: 'The operator.', resolve: (row) => row }),
  }),
});

summaryField(Operator, OperatorSummaryType, 'getOperatorSummary', (ctx, row, timeWindow, info) => {
  const { network, idType, id } = row;
  return loadOperator(ctx, { network, idType, id, timeWindow }, operatorSelections.ofSummary(info));
});
