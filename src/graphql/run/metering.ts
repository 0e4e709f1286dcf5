import {
  defaultFieldResolver,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import {
  CALLER_ERROR_UNITS,
  unitsFor,
  unitsForReading,
  type Weight,
  weightOf,
} from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';
import { selectedFields } from '../../fast-rows/selection.ts';
import { Refusal, refusalStatus } from '../../kernel/refusal.ts';
import { paced } from '../../kernel/turns.ts';
import type { FieldCost } from '../schema/field-cost.ts';
import { costError, limitError } from './limits.ts';
import type { Cost } from './query-cost.ts';

/**
 * Fields with an `operation` charge for their rows, as in REST. Resolvers are wrapped, so that all executors charge the
 * same.
 */
export function meterFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type === schema.getSubscriptionType()) continue; // subscriptions charge per event
    for (const field of Object.values(type.getFields())) {
      const { operation, isRead, reads } = field.extensions as FieldCost;
      if (operation === undefined) continue;
      const weight = weightOf(operation);
      const resolve = field.resolve ?? defaultFieldResolver;
      const metered: GraphQLFieldResolver<unknown, Context> = async (source, args, context, info) => {
        try {
          const value = await resolve(source, args, context, info);
          const { metering, network, sizes } = context;
          let units = unitsAnswered(weight, value);
          if (reads) {
            const totals = Number(selectedFields(info, []).has('totalCount'));
            units += unitsForReading(reads({ args, parent: source as object, totals, network, sizes }));
          }
          metering.charged += units;
          if (metering.turn) await metering.turn(units);
          return value;
        } catch (error) {
          if (isCallersFault(error)) context.metering.charged += CALLER_ERROR_UNITS;
          throw error;
        }
      };
      const resolver: GraphQLFieldResolver<unknown, Context> =
        isRead === undefined
          ? metered
          : (source, args, context, info) =>
              (isRead(source as never, args as never) ? resolve : metered)(source, args, context, info);
      field.resolve = resolver as typeof resolve;
    }
  }
}

/** Null costs as much as a 404 in REST. */
function unitsAnswered(weight: Weight, value: unknown): number {
  if (value == null) return unitsFor(weight, 1) > 0 ? CALLER_ERROR_UNITS : 0;
  if (Array.isArray(value)) return unitsFor(weight, value.length);
  const { nodes, userErrors } = value as { nodes?: unknown; userErrors?: unknown[] };
  if (userErrors && userErrors.length > 0) return CALLER_ERROR_UNITS;
  return unitsFor(weight, Array.isArray(nodes) ? nodes.length : 1);
}

const isCallersFault = (error: unknown): boolean =>
  error instanceof Refusal && refusalStatus[error.code] < 500;

const oursCodes = new Set<unknown>(['INTERNAL', 'UNAVAILABLE']);
const isCallers = ({ extensions }: GraphQLError) => !oursCodes.has(extensions.code);

const isForNow = ({ extensions }: GraphQLError) => {
  const { status = 200 } = (extensions.http ?? {}) as { status?: number };
  return status === 429 || status >= 500;
};

const hasTimedOut = ({ extensions }: GraphQLError) =>
  (extensions.http as { timedOut?: boolean } | undefined)?.timedOut === true;

/** Uncompiled, 30,000 fields need 30 ms. Only pages can be spread over several turns of the event loop. */
const FIELDS_A_TURN = 30_000;

export function costRefusal(cost: Cost, { metering }: Context): GraphQLError | undefined {
  const { units, fields, passed } = cost;
  metering.estimated = units;
  if (passed) return limitError(passed);
  const available = metering.available();
  if (available !== null && units > available) {
    const left = metering.remaining() as number;
    return costError(units, Math.max(0, available), left);
  }
  metering.reserve(units);
  if (fields > FIELDS_A_TURN) metering.turn = paced((FIELDS_A_TURN * units) / fields);
  return undefined;
}

export function settled(context: Context, errors: readonly GraphQLError[], ran: boolean) {
  const { metering, trace, data } = context;
  metering.timedOut ||= errors.some(hasTimedOut);
  // a retry may succeed
  if (errors.some(isForNow)) metering.charged = metering.timedOut ? metering.estimated : 0;
  else if (errors.some(isCallers)) metering.charged = Math.max(metering.charged, CALLER_ERROR_UNITS);
  metering.estimated = Math.max(metering.estimated, ran ? 0 : metering.charged);
  const { estimated, charged } = metering;
  const revision: Record<string, number> = {};
  const sample: string[] = [];
  for (const name of [...trace.datasets].sort()) {
    const dataset = data.get(name);
    revision[name] = dataset?.revision ?? 0;
    if (dataset?.isSample) sample.push(name);
  }
  return {
    cost: { estimated, charged, remaining: metering.remaining(charged) },
    revision,
    ...(sample.length > 0 && { sample }),
  };
}

export const costPlugin: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (Symbol.asyncIterator in result || Array.isArray(result)) return;
    const { errors = [], extensions } = result as { errors?: GraphQLError[]; extensions?: object };
    const own = settled(serverContext as unknown as Context, errors, 'data' in result);
    setResult({ ...result, extensions: { ...extensions, ...own } } as typeof result);
  },
};
