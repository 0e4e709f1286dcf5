import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
} from 'graphql';
import Negotiator from 'negotiator';
import { weightOf } from '../../accounts/compute-units.ts';
import type { Metering } from '../../accounts/meter.ts';
import type { Context } from '../../context.ts';
import { jsonPieces } from '../../kernel/json-text.ts';
import { Refusal, unavailable } from '../../kernel/refusal.ts';
import type { EventText } from '../live/shared-topics.ts';
import type { Subscription } from '../live/stream.ts';
import { Topic } from '../live/topic.ts';
import { renderError } from './errors.ts';

export type Plan = Pick<Subscription, 'topic' | 'weight' | 'key' | 'textOf'>;

export async function planOf(args: ExecutionArgs): Promise<Plan | ExecutionResult> {
  const topic = await createSourceEventStream(args);
  if (!(topic instanceof Topic)) return topic as ExecutionResult;
  const { document, operationName, variableValues, contextValue } = args;
  const { network, caller } = contextValue as Context;
  return {
    topic,
    weight: weightOf(topic.subject.operation),
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
  const errors = failures?.map((error) => renderError(error, log));
  const text = jsonPieces({ errors: errors?.map((error) => error.toJSON()), data }).join('');
  return { text: text.slice(0, -1), units: metering.charged };
}

export const isPlan = (made: Plan | ExecutionResult): made is Plan => 'topic' in made;

export const acceptsEvents = (accept: string | undefined): boolean =>
  new Negotiator({ headers: { accept: accept || '*/*' } }).mediaType(['text/event-stream']) !== undefined;

export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  connection: 'close', // an idle connection would delay a shutdown
  'x-accel-buffering': 'no', // nginx would hold events back
};

export const eventsOnly = Buffer.from(
  '{"detail":"A subscription is answered as text/event-stream; accept it."}',
);
