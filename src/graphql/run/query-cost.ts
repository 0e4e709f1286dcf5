import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getOperationAST,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { unitsFor, unitsForReading, weightOf } from '../../accounts/compute-units.ts';
import { noSizes, type Sizes } from '../../db/sizes.ts';
import { summaryArgument, windowArgument } from '../../fast-rows/placeholders.ts';
import { shapeOf } from '../schema/field-cost.ts';
import { fragmentsOf, introspectionCounter, MARKS } from './introspection.ts';
import { limits } from './limits.ts';
import { argumentsOf, defaults, isSkipped, namedSize, sizeOf, type Values } from './size-arguments.ts';
import { freeTypename } from './typename.ts';

/** Upper estimates, except `bytes`. */
type Estimate = {
  rows: number;
  units: number;
  /** Weighted by the work of each field. */
  fields: number;
  /** May be too low, because it assumes strings of typical length. */
  bytes: number;
  introspection: number;
};
const bounded = ['rows', 'introspection', 'fields', 'bytes'] as const;
export type Cost = Estimate & {
  /** Whether the cost depends on the context, or on variables other than page sizes. */
  reads: boolean;
  passed: (typeof bounded)[number] | undefined;
};

export type CostContext = { network: string; sizes: Sizes };

type PartialCost = Estimate & { rowFields: number; rowBytes: number; totals: number };
const none = (): PartialCost => ({
  rows: 0,
  units: 0,
  fields: 0,
  bytes: 0,
  introspection: 0,
  rowFields: 0,
  rowBytes: 0,
  totals: 0,
});
const measures = Object.keys(none()) as (keyof PartialCost)[];
function add(total: PartialCost, part: PartialCost): void {
  for (const measure of measures) total[measure] += part[measure];
}

const TYPENAME_LENGTH = 40;

const textOf = (value: ValueNode | undefined): string | undefined => value && print(value);

/**
 * Multiplies nested page sizes and counts each use of a fragment. If fragments are on different types of an interface,
 * counts only the largest.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Values,
  { network, sizes }: CostContext = { network: '', sizes: noSizes },
): Cost {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return { ...none(), passed: undefined, reads: false };
  const fragments = fragmentsOf(document);
  const values = { ...defaults(operation), ...variables };
  const countIntrospection = introspectionCounter(schema, fragments, values);
  const measured = new Map<string, PartialCost>();
  let reads = false;

  /** `window`: the window of the summary that the row has. */
  function ofSet(type: GraphQLNamedType, set: SelectionSetNode, window?: string): PartialCost {
    const total = none();
    const byType = new Map<GraphQLNamedType, PartialCost>();
    const spreads = new Set<string>();
    const free = freeTypename(set);
    for (const selection of set.selections) {
      if (selection === free || isSkipped(selection, values)) continue;
      if (selection.kind === Kind.FIELD) {
        add(total, ofField(type, selection, window));
        continue;
      }
      const spread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (spread && spreads.has(selection.name.value)) continue;
      if (spread) spreads.add(selection.name.value);
      const fragment = spread ? fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      const narrowed = (condition && schema.getType(condition)) || type;
      const part = spread
        ? ofFragment(selection.name.value, window)
        : ofSet(narrowed, selection.selectionSet, window);
      if (isInterfaceType(type) && isObjectType(narrowed)) {
        const known = byType.get(narrowed) ?? none();
        add(known, part);
        byType.set(narrowed, known);
      } else add(total, part);
    }
    if (byType.size > 0) add(total, largest([...byType.values()]));
    return total;
  }

  function ofFragment(name: string, window?: string): PartialCost {
    const key = `${name} ${window}`;
    const known = measured.get(key);
    if (known !== undefined) return known;
    measured.set(key, none()); // ends a cycle of fragments
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const part = type ? ofSet(type, fragment.selectionSet, window) : none();
    measured.set(key, part);
    return part;
  }

  function ofField(parent: GraphQLNamedType, node: FieldNode, window?: string): PartialCost {
    const name = node.name.value;
    const part = none();
    part.bytes = (node.alias?.value ?? name).length + MARKS;
    if (name === '__typename') return { ...part, fields: 1, bytes: part.bytes + TYPENAME_LENGTH };
    if (name.startsWith('__')) return { ...part, ...countIntrospection(node) };
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!field) return none();
    const shape = shapeOf(field, parent);
    part.fields = shape.work;
    if (!node.selectionSet) {
      part.fields += shape.rows ?? 0;
      part.bytes += (shape.rows ?? 1) * (shape.length + MARKS);
      part.totals = Number(name === 'totalCount');
      return part;
    }
    const ownWindow = textOf(shape.ofSummary ? summaryArgument(node) : windowArgument(node));
    const below = ofSet(
      shape.type,
      node.selectionSet,
      /(Connection|Edge)$/.test(parent.name) ? window : ownWindow,
    );
    if (shape.ofPage) {
      part.rows = below.rows;
      part.units = below.units;
      part.rowFields = 1 + below.fields;
      part.rowBytes = MARKS + below.bytes;
      return part;
    }
    const size = sizeOf(node.arguments, values) ?? namedSize(node.arguments, values) ?? shape.rows;
    const times = size ?? 1;
    const free = shape.ofRow && ownWindow !== undefined && ownWindow === window;
    part.units = (shape.weight && !free ? unitsFor(shape.weight, times) : 0) + times * below.units;
    if (shape.reads) {
      reads = true;
      const totals = Math.min(1, below.totals);
      const args = argumentsOf(node.arguments, values);
      part.units += unitsForReading(shape.reads({ args, parent: undefined, totals, network, sizes }));
    }
    part.fields += shape.page ? below.fields + times * below.rowFields : times * (1 + below.fields);
    part.bytes += shape.page ? below.bytes + times * below.rowBytes : times * (MARKS + below.bytes);
    if (size === undefined) part.rows = below.rows;
    else if (shape.page || shape.weight || below.rows > 0) part.rows = size * (1 + below.rows);
    return part;
  }

  const total = ofSet(root, operation.selectionSet);
  total.units += introspectionUnits(total);
  return { ...total, reads, passed: bounded.find((measure) => total[measure] > limits[measure]) };
}

const FIELDS_A_UNIT = 100;

export const introspectionUnits = ({ introspection }: Pick<Cost, 'introspection'>): number =>
  introspection === 0 ? 0 : unitsFor(weightOf('introspection'), Math.ceil(introspection / FIELDS_A_UNIT));

function largest(parts: readonly PartialCost[]): PartialCost {
  const most = none();
  for (const part of parts)
    for (const measure of measures) most[measure] = Math.max(most[measure], part[measure]);
  return most;
}
