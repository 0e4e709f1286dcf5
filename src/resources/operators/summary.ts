import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import { selectionFor } from '../../fast-rows/index.ts';
import { asOfEpoch, asOfField } from '../../graphql/schema/as-of.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, exposed, type FieldsOf, shareObject } from '../../graphql/schema/columns.ts';
import { TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { IN_PAGE, IN_ROW } from '../../graphql/schema/selection.ts';
import {
  isRead,
  ownWindow,
  summaryPaths,
  windowOf,
  windowText,
  withSummary,
} from '../../graphql/schema/summaries.ts';
import { loadOperator } from './loaders.ts';
import type { OperatorId, OperatorKey, OperatorNode, OperatorRow } from './queries.ts';
import {
  ClientPercentage,
  IdType,
  type OperatorField,
  OperatorSummary,
  operatorFields,
  RelayerPercentage,
} from './record.ts';

/** A row of a list also contains the operator's summary in the window of the list. */
export const Operator = builder.objectRef<OperatorNode>('Operator');

export const operatorFigures: readonly OperatorField[] = [
  ...operatorFields.filter((name) => name !== 'id'),
  'change',
  'asOf',
];

export const IN_OPERATOR = withSummary(IN_ROW, 'operator');
export const IN_OPERATOR_PAGE = withSummary(IN_PAGE, 'operator');
const IN_SUMMARY = summaryPaths('operator');

const ClientPercentageType = shareObject(ClientPercentage);
const RelayerPercentageType = shareObject(RelayerPercentage);

const Figures = OperatorSummary.omit({ id: true, displayName: true });

export const figures = <Row extends OperatorNode>(t: FieldsOf<Row>, deprecationReason?: string) => ({
  ...columns(t, Figures, deprecationReason),
  clientPercentages: exposed(t, 'clientPercentages', {
    type: [ClientPercentageType],
    stored: ClientPercentage,
    rows: 6,
    description: 'Consensus clients of the validators.',
    deprecationReason,
  }),
  relayerPercentages: exposed(t, 'relayerPercentages', {
    type: [RelayerPercentageType],
    stored: RelayerPercentage,
    rows: 12,
    description: 'Relays of the proposed blocks.',
    deprecationReason,
  }),
});

/** The id comes last, because it may contain colons. */
const nodeId = (row: OperatorKey) => [row.network, row.timeWindow, row.idType, row.id].join(':');

export function keyOfNodeId(text: string): (OperatorId & { timeWindow?: TimeWindow }) | undefined {
  const [name, ...rest] = text.split(':');
  const network = Network.safeParse(name).data;
  const timeWindow = TimeWindow.safeParse(rest[0]).data;
  if (timeWindow) rest.shift();
  const idType = IdType.safeParse(rest.shift()).data;
  const id = rest.join(':');
  return network && idType && id ? { network, idType, id, ...(timeWindow && { timeWindow }) } : undefined;
}

export const OperatorSummaryType = builder.objectRef<OperatorRow>('OperatorSummary');
builder.node(OperatorSummaryType, {
  description: OperatorSummary.meta()?.description as string,
  id: { resolve: nodeId, description: 'Global id, for `node`.' },
  loadMany: loadNodes('OperatorSummary', async (id, ctx) => {
    const key = keyOfNodeId(id);
    if (!key?.timeWindow) return undefined;
    const row = await loadOperator(ctx, { ...key, timeWindow: key.timeWindow }, operatorFigures);
    return row && { ...row }; // a copy, because the row may also be an Operator
  }),
  fields: (t) => ({
    window: exposed(t, 'timeWindow', {
      type: TimeWindowEnum,
      column: 'timeWindow',
      description: 'Window that the figures cover.',
    }),
    ...figures(t),
    asOf: asOfField(t, ({ network, asOf }) => asOfEpoch(network, asOf)),
    operator: t.field({ type: Operator, description: 'The operator.', resolve: (row) => row }),
  }),
});

builder.objectField(Operator, 'summary', (t) =>
  t.field({
    type: OperatorSummaryType,
    nullable: true,
    extensions: { operation: 'getOperatorSummary', paidBy: 'window', isRead, givesRow: true, ownRow: true },
    description:
      'Its figures in a window; null when it has none there. Costs nothing more without `window`, in a list of one window.',
    args: {
      window: t.arg({
        type: TimeWindowEnum,
        description: `The window. ${windowText}`,
      }),
    },
    resolve: (row, args, ctx, info) => {
      const { network, idType, id } = row;
      const timeWindow = windowOf(row, args.window, 'operator');
      if (timeWindow === row.early?.window) return row.early.row;
      if (timeWindow === ownWindow(row)) return row as OperatorRow;
      const selection = selectionFor(info, operatorFigures, IN_SUMMARY);
      return loadOperator(ctx, { network, idType, id, timeWindow }, selection);
    },
  }),
);
