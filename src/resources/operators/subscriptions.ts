import { createHash } from 'node:crypto';
import { Topic } from '../../graphql/live/topic.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { networkArgs, TimeWindowEnum } from '../../graphql/schema/enums.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { checkId, IdTypeEnum, Operator } from './graphql.ts';
import type { OperatorNode, OperatorRow } from './queries.ts';
import { entityNotFound } from './record.ts';
import { operatorNode } from './resolve.ts';
import { OperatorSummaryType, operatorFigures } from './summary.ts';

type Changed = {
  revision: number;
  operator: OperatorNode | undefined;
  summary: OperatorRow | undefined;
};

const OperatorChangedPayload = builder.objectRef<Changed>('OperatorChangedPayload').implement({
  description: 'An operator, with its figures in the window.',
  fields: (t) => ({
    revision: t.exposeInt('revision', {
      description: 'Revision of the dataset `operators` that the figures are at least of, >= 0.',
    }),
    operator: t.field({
      type: Operator,
      nullable: true,
      description: 'The operator; null when it is no longer stored.',
      resolve: ({ operator }) => operator,
    }),
    summary: t.field({
      type: OperatorSummaryType,
      nullable: true,
      description: 'Its figures in the window; null when it has none there.',
      resolve: ({ summary }) => summary,
    }),
  }),
});

/** Sorts the columns, because their order depends on the statement that read the row. */
function digestOf(row: object | undefined): string {
  const columns = Object.entries(row ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(columns)).digest('base64url');
}

builder.subscriptionField('operatorChanged', (t) =>
  t.field({
    type: OperatorChangedPayload,
    nullable: true,
    extensions: { operation: 'operatorChanged' },
    description:
      'The figures of an operator in a window, at first and whenever one of them changes. NOT_FOUND if there is no such operator. For private sets see `privateSetChanged`.',
    args: {
      operatorId: t.arg.string({ required: true, description: 'Name, address, public key or index.' }),
      idType: t.arg({ type: IdTypeEnum, required: true, description: 'Class, other than PRIVATE_SET.' }),
      window: t.arg({ type: TimeWindowEnum, required: true, description: 'Window of the figures.' }),
      ...networkArgs,
    },
    subscribe: (_root, { operatorId, idType, window, network: given }, ctx) => {
      checkId('operatorId', operatorId);
      if (idType === 'privateSet')
        throw badArgument('idType', 'idType is PRIVATE_SET; subscribe to privateSetChanged(setId:).');
      const network = given ?? ctx.network;
      const key = { network, id: operatorId, idType };
      return new Topic<Changed>({
        operation: 'operatorChanged',
        key: [network, idType, window, operatorId],
        datasets: ['operators'],
        async read(of, position) {
          const revision = of.data.get('operators')?.revision ?? 0;
          const operator = await operatorNode(of, key, { window, selection: operatorFigures });
          const summary = operator?.timeWindow ? (operator as OperatorRow) : undefined;
          if (!operator && position === undefined) throw entityNotFound(key);
          const digest = digestOf(operator);
          if (digest === position) return { position, rows: 0 };
          return { position: digest, event: { revision, operator, summary }, rows: 1 };
        },
      });
    },
    resolve: (event) => event,
  }),
);
