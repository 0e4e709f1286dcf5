import { defaultFieldResolver, type GraphQLError, type GraphQLSchema, isObjectType } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { CALLER_ERROR_UNITS, unitsFor, type Weight, weightOf } from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';
import { Refusal, refusalStatus } from '../../kernel/refusal.ts';
import { paced } from '../../kernel/turns.ts';
import { costError, limitError } from './limits.ts';
import { type Cost, passedLimit } from './query-cost.ts';

/** What a field says in its `extensions` of what it costs. */
export type FieldCost = {
  /** Its line in the table of compute units: that of the REST path whose call it replaces. */
  operation?: string;
  /** Rows of a page whose size is not given, or the most that a plain list has. */
  rows?: number;
};

/**
 * Makes every field that names its operation charge what it answered, once for each object that it is asked of, since
 * each replaces a call. Done to the schema and not to an executor: whatever runs it charges the same.
 */
export function meterFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { operation } = field.extensions as FieldCost;
      if (operation === undefined) continue;
      const weight = weightOf(operation);
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = async (source, args, context: Context, info) => {
        try {
          const value = await resolve(source, args, context, info);
          const units = unitsAnswered(weight, value);
          const { metering } = context;
          metering.charged += units;
          if (metering.turn) await metering.turn(units);
          return value;
        } catch (error) {
          if (isCallersFault(error)) context.metering.charged += CALLER_ERROR_UNITS;
          throw error;
        }
      };
    }
  }
}

/** As of the REST call: what is not there is 404, an error of the caller. */
function unitsAnswered(weight: Weight, value: unknown): number {
  if (value == null) return unitsFor(weight, 1) > 0 ? CALLER_ERROR_UNITS : 0;
  if (Array.isArray(value)) return unitsFor(weight, value.length);
  const { nodes, userErrors } = value as { nodes?: unknown; userErrors?: unknown[] };
  if (userErrors && userErrors.length > 0) return CALLER_ERROR_UNITS; // a mutation that was refused
  return unitsFor(weight, Array.isArray(nodes) ? nodes.length : 1);
}

const isCallersFault = (error: unknown): boolean =>
  error instanceof Refusal && refusalStatus[error.code] < 500;

/** Codes of ours: the others are the caller's to mend. */
const oursCodes = new Set<unknown>(['INTERNAL', 'UNAVAILABLE']);
const isOurs = ({ extensions }: GraphQLError) => oursCodes.has(extensions.code);

/** Whether an error says that the request may succeed later. */
const isForNow = ({ extensions }: GraphQLError) => {
  const { status = 200 } = (extensions.http ?? {}) as { status?: number };
  return status === 429 || status >= 500;
};

/** What an answer costs in the end. One that cannot be given for now costs nothing, whatever was read for it. */
function settle(charged: number, errors: readonly GraphQLError[]): number {
  if (errors.some(isForNow)) return 0;
  return errors.some((error) => !isOurs(error)) ? Math.max(charged, CALLER_ERROR_UNITS) : charged;
}

/**
 * Fields resolved in one turn of the event loop: about 30 ms for a document that is not compiled. Only pages can be spread
 * over several turns.
 */
const FIELDS_A_TURN = 30_000;

/**
 * Reserves the estimate of an operation. Returns an error when it exceeds a limit, or what the caller has left that is not
 * reserved by other requests in progress.
 */
export function costRefusal(cost: Cost, { metering }: Context): GraphQLError | undefined {
  const { units, fields } = cost;
  metering.estimated = units;
  const passed = passedLimit(cost);
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

/**
 * Settles what an answer costs, and gives its `extensions`: what was estimated, what it costs and what is left (`cost`),
 * and the revision of each dataset that it was made of (`revision`).
 */
export function settled(context: Context, errors: readonly GraphQLError[], ran: boolean) {
  const { metering, trace, data } = context;
  metering.charged = settle(metering.charged, errors);
  metering.estimated = Math.max(metering.estimated, ran ? 0 : metering.charged);
  const { estimated, charged } = metering;
  const revision: Record<string, number> = {};
  for (const name of [...trace.datasets].sort()) revision[name] = data.get(name)?.revision ?? 0;
  return { cost: { estimated, charged, remaining: remainingAfter(context, charged) }, revision };
}

/** Compute units left when an answer is charged; null without a limit. */
export function remainingAfter({ metering }: Context, charged: number): number | null {
  const left = metering.remaining();
  return left === null ? null : Math.max(0, left - charged);
}

/** Tells in the `extensions` of every answer what it costs and was made of. */
export const costPlugin: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (Symbol.asyncIterator in result || Array.isArray(result)) return;
    const { errors = [], extensions } = result as { errors?: GraphQLError[]; extensions?: object };
    const own = settled(serverContext as unknown as Context, errors, 'data' in result);
    setResult({ ...result, extensions: { ...extensions, ...own } } as typeof result);
  },
};
