import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import { PLAIN_LIST_SIZE, type Weight, weightOf } from '../../accounts/compute-units.ts';
import type { Sizes } from '../../db/sizes.ts';
import type { FieldExtensions } from '../../fast-rows/placeholders.ts';
import { isConnection } from '../../fast-rows/rewrite.ts';
import { DEFAULT_PAGE_SIZE } from '../../kernel/page.ts';

/** What is known of a field before it runs: `parent` and coerced arguments only when it runs. */
export type Reads = (field: {
  args: Record<string, unknown>;
  parent: { idType?: string; id?: string } | undefined;
  /** 1 if the field's `totalCount` is selected, otherwise 0. */
  totals: number;
  /** Of the request. */
  network: string;
  sizes: Sizes;
}) => number;

export type FieldCost = {
  operation?: string;
  /** Whether the parent's row already contains the object, which is then free. */
  isRead?: (parent: never, args: never) => boolean;
  rows?: number;
  /** Rows that are read besides those that are returned. */
  reads?: Reads;
  /** The most that may be read, for the estimate alone: the resolver reports what was read (`Metering.read`). */
  mayRead?: Reads;
};

/**
 * Work relative to a plain field (1 to 1.3 µs). Measured: 20,000 cursors (6 µs each), 5,600 linked objects (10 µs) and
 * 5,600 pages within rows (25 µs).
 */
const work = { page: 20, link: 8, cursor: 5, resolved: 2, plain: 1 } as const;

/** In characters. */
const lengths: Record<string, number> = {
  Int: 11,
  Float: 22,
  Boolean: 5,
  BigInt: 24,
  Decimal: 32,
  Date: 12,
  DateTime: 22,
  ID: 160,
  String: 100,
};
const ENUM_LENGTH = 40;

export type FieldShape = {
  type: GraphQLNamedType;
  weight: Weight | undefined;
  /** Free in a row of the same window. */
  ofRow: boolean;
  /** True if the summary that it selects first is read with its row. */
  ofSummary: boolean;
  reads: Reads | undefined;
  page: boolean;
  ofPage: boolean;
  rows: number | undefined;
  work: number;
  length: number;
};

const shapes = new WeakMap<GraphQLField<unknown, unknown>, FieldShape>();

export function shapeOf(field: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): FieldShape {
  let shape = shapes.get(field);
  if (!shape) shapes.set(field, (shape = makeShape(field, parent)));
  return shape;
}

function makeShape(field: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): FieldShape {
  const { operation, isRead, rows, givesRow, reads, mayRead } = field.extensions as FieldCost &
    FieldExtensions;
  const type = getNamedType(field.type);
  const page = isConnection(field);
  const ofPage = parent.name.endsWith('Connection') && isListType(getNullableType(field.type));
  const list = !ofPage && isListType(getNullableType(field.type));
  return {
    type,
    weight: operation === undefined ? undefined : weightOf(operation),
    ofRow: isRead !== undefined,
    ofSummary: givesRow === 'ofSummary',
    reads: reads ?? mayRead,
    page,
    ofPage,
    rows: page ? DEFAULT_PAGE_SIZE : list ? (rows ?? PLAIN_LIST_SIZE) : undefined,
    work: workOf(field),
    length: isLeafType(type) ? (lengths[type.name] ?? ENUM_LENGTH) : 0,
  };
}

function workOf(field: GraphQLField<unknown, unknown>): number {
  if (isConnection(field)) return work.page;
  if (/^(cursor|startCursor|endCursor)$/.test(field.name)) return work.cursor;
  if (!field.resolve) return work.plain;
  return isLeafType(getNamedType(field.type)) ? work.resolved : work.link;
}
