import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import { type Weight, weightOf } from '../accounts/compute-units.ts';
import type { FieldCost } from './metering.ts';

/** Entries of a list that is no page and does not say how many it has at the most. */
const PLAIN_LIST_SIZE = 4;

/**
 * What takes the server more work than a field that is read from its row, in such fields. Measured on answers of 20,000
 * cursors (6 µs each), 5,600 linked objects (10 µs) and 5,600 pages within rows (25 µs); a plain field takes 1 to 1.3 µs.
 */
const work = { page: 20, link: 8, cursor: 5, resolved: 2, plain: 1 } as const;

/** Characters of values at the most, or where texts have no bound what few exceed; by the name of their type. */
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

/** What is known of a field by the schema alone of what it adds to an answer. */
export type FieldShape = {
  type: GraphQLNamedType;
  weight: Weight | undefined;
  /** Whether it gives a page. */
  page: boolean;
  /** Whether it gives the rows of a page, as `nodes` and `edges` do. */
  ofPage: boolean;
  /** Entries of a plain list, or rows of a page whose size is not given. */
  rows: number | undefined;
  /** The work that it takes, in fields that are read from their row. */
  work: number;
  /** Characters of a leaf. */
  length: number;
};

const shapes = new WeakMap<GraphQLField<unknown, unknown>, FieldShape>();

/** The shape of a field of a type. */
export function shapeOf(field: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): FieldShape {
  let shape = shapes.get(field);
  if (!shape) shapes.set(field, (shape = makeShape(field, parent)));
  return shape;
}

function makeShape(field: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): FieldShape {
  const { operation, rows } = field.extensions as FieldCost;
  const type = getNamedType(field.type);
  const page = isConnection(field);
  const ofPage = parent.name.endsWith('Connection') && isListType(getNullableType(field.type));
  const list = !ofPage && isListType(getNullableType(field.type));
  return {
    type,
    weight: operation === undefined ? undefined : weightOf(operation),
    page,
    ofPage,
    rows: page || list ? (rows ?? PLAIN_LIST_SIZE) : undefined,
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

/** Whether a field gives a page. */
export const isConnection = (field: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(field.type).name.endsWith('Connection');
