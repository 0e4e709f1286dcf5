import {
  createSourceEventStream,
  type DirectiveNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { unitsFor, weightOf } from '../../accounts/compute-units.ts';
import type { Metering } from '../../accounts/meter.ts';
import type { Context } from '../../context.ts';
import { jsonPieces } from '../../kernel/json-text.ts';
import { Refusal, unavailable } from '../../kernel/refusal.ts';
import { renderErrors } from '../errors.ts';
import type { EventText } from '../live/shared-topics.ts';
import type { Subscription } from '../live/stream.ts';
import { Topic } from '../live/topic.ts';
import { fragmentsOf } from './introspection.ts';
import { costOf } from './query-cost.ts';

const CONDITIONS = ['skip', 'include'];

/** Refuses `@skip` and `@include` on the root field of a subscription, on which graphql-js fails with other errors. */
export function rootConditions(document: DocumentNode): GraphQLError[] {
  const fragments = fragmentsOf(document);
  const seen = new Set<string>();
  const conditionsOf = ({ selections }: SelectionSetNode): DirectiveNode[] =>
    selections.flatMap((selection) => {
      const own = (selection.directives ?? []).filter(({ name }) => CONDITIONS.includes(name.value));
      if (selection.kind === Kind.INLINE_FRAGMENT) return [...own, ...conditionsOf(selection.selectionSet)];
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) return own;
      seen.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      return fragment ? [...own, ...conditionsOf(fragment.selectionSet)] : own;
    });
  return document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .filter(({ operation }) => operation === 'subscription')
    .flatMap(({ selectionSet }) => conditionsOf(selectionSet))
    .map(
      (node) =>
        new GraphQLError(`@${node.name.value} is not allowed on the root field of a subscription.`, {
          nodes: node,
        }),
    );
}

export type Plan = Pick<Subscription, 'topic' | 'weight' | 'key' | 'fieldUnits' | 'textOf'>;

export async function planOf(args: ExecutionArgs): Promise<Plan | ExecutionResult> {
  const topic = await createSourceEventStream(args);
  if (!(topic instanceof Topic)) return topic as ExecutionResult;
  const { schema, document, operationName, variableValues, contextValue } = args;
  const context = contextValue as Context;
  const { network, caller } = context;
  const weight = weightOf(topic.subject.operation);
  const cost = costOf(schema, document, operationName, variableValues ?? {}, context);
  return {
    topic,
    weight,
    fieldUnits: cost.units - unitsFor(weight, 1),
    key: JSON.stringify([
      caller.accountId,
      network,
      operationName,
      variableValues,
      document.loc?.source.body,
    ]),
    textOf: (event, ctx) => eventText({ ...args, rootValue: event, contextValue: ctx }),
  };
}

/** Throws UNAVAILABLE if a retry may succeed. */
async function eventText(args: ExecutionArgs): Promise<EventText> {
  const { log, metering } = args.contextValue as { log: Context['log']; metering: Metering };
  const { data, errors: failures } = await execute(args);
  const isAway = ({ originalError }: GraphQLError) =>
    originalError instanceof Refusal && originalError.code === 'UNAVAILABLE';
  if (failures?.some(isAway)) throw unavailable();
  const errors = failures && renderErrors(failures, log);
  const text = jsonPieces({ errors: errors?.map((error) => error.toJSON()), data }).join('');
  return { text: text.slice(0, -1), units: metering.charged };
}

export const isPlan = (made: Plan | ExecutionResult): made is Plan => 'topic' in made;

export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  connection: 'close', // an idle connection would delay a shutdown
  'x-accel-buffering': 'no', // nginx would hold events back
};
