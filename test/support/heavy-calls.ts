import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { isConnection } from '../../src/fast-rows/rewrite.ts';
import { LARGE } from './large-operator.ts';

// Calls of the fields of the schema that make PostgreSQL do most: each filter, order and total.

/** Values that find most in the data, by the name of an argument. */
export const known: Record<string, string> = {
  operatorId: JSON.stringify(LARGE),
  parentId: JSON.stringify(LARGE),
  idType: 'NODE_OPERATOR',
  window: 'ALL',
  query: '"a"',
  text: '"a"',
  fromDay: '1600',
  fromEpoch: '1',
  fromDate: '"2024-01-01"',
  fromSlot: '1',
  slashed: 'false',
};
const texts: Record<string, string> = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  BigInt: '"1"',
  Decimal: '"1"',
  Date: '"2024-10-01"',
  DateTime: '"2024-10-01T00:00:00Z"',
  ID: '"x"',
};
const partners: Record<string, string> = {
  operatorId: 'idType',
  idType: 'operatorId',
};

/** Given together, they are one filter. */
const hasPartner = (field: GraphQLField<unknown, unknown>, { name }: GraphQLArgument) =>
  field.args.some((arg) => arg.name === partners[name] && !isRequiredArgument(arg));

/** All values of an enum or of an order, one value of anything else. */
function valuesOf(name: string, type: GraphQLInputType): string[] {
  const inner = getNullableType(type);
  if (isListType(inner)) return valuesOf(name, inner.ofType).map((value) => `[${value}]`);
  if (isEnumType(inner)) return known[name] ? [known[name]] : inner.getValues().map((value) => value.name);
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields());
    const needed = fields.filter(isRequiredInputField);
    if (inner.isOneOf) return fields.map((one) => `{ ${one.name}: ${valuesOf(one.name, one.type)[0]} }`);
    if (needed.length === fields.length) {
      const own = needed.map((one) => valuesOf(one.name, one.type).map((value) => `${one.name}: ${value}`));
      const longest = Math.max(0, ...own.map(({ length }) => length));
      // Each value of each field at least once: the fields of an order, in one direction each.
      return Array.from(
        { length: longest },
        (_, at) => `{ ${own.map((values) => values[at % values.length]).join(', ')} }`,
      );
    }
    const each = fields.flatMap((one) =>
      valuesOf(one.name, one.type).map((value) => ({ name: one.name, text: `${one.name}: ${value}` })),
    );
    const narrowed = each.filter(({ name }) => name !== fields[0]?.name);
    return [
      ...each.map(({ text }) => `{ ${text} }`),
      ...narrowed.map(({ text }) => `{ ${each[0]?.text}, ${text} }`),
    ];
  }
  return [known[name] ?? texts[getNamedType(inner).name] ?? '"x"'];
}

const written = ({ name, type }: GraphQLArgument, value = valuesOf(name, type)[0]) => `${name}: ${value}`;

/** Of more filters times orders, all orders are taken without a filter and with the first one. */
const MOST_PRODUCTS = 60;

/** The arguments of a field: those that it needs, and with them each other one in turn, each with each order. */
function argumentsOf(field: GraphQLField<unknown, unknown>): string[] {
  const needed = field.args.filter(isRequiredArgument);
  const paging = new Set(['first', 'last', 'after', 'before', 'ids', 'indices', 'network', 'utc']);
  const others = field.args.filter((arg) => !isRequiredArgument(arg) && !paging.has(arg.name));
  const base = needed.map((arg) => written(arg));
  const order = others.find(({ name }) => name === 'orderBy');
  const orders = order
    ? ['', ...valuesOf(order.name, order.type).map((value) => written(order, value))]
    : [''];
  const filters = others
    .filter((arg) => arg !== order && !(arg.name === 'idType' && hasPartner(field, arg)))
    .flatMap((arg) =>
      valuesOf(arg.name, arg.type).map((value) => {
        const partner = field.args.find(
          ({ name }) => name === partners[arg.name] && !needed.some((one) => one.name === name),
        );
        return [written(arg, value), ...(partner ? [written(partner)] : [])].join(', ');
      }),
    );
  const all = ['', ...new Set(filters)];
  const isMuch = all.length * orders.length > MOST_PRODUCTS;
  return all.flatMap((filter, at) =>
    (isMuch && at > 1 ? [''] : orders).map((one) => [...base, filter, one].filter(Boolean).join(', ')),
  );
}

function selectionOf(field: GraphQLField<unknown, unknown>, totals: boolean): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  if (!isConnection(field)) return '{ __typename }';
  const row = getNamedType((type as GraphQLObjectType).getFields().nodes?.type as GraphQLInputType);
  const leaf = isObjectType(row)
    ? Object.values(row.getFields()).find(
        (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
      )?.name
    : '__typename';
  return `{ ${totals ? 'totalCount' : ''} nodes { ${leaf ?? '__typename'} } }`;
}

export function* fieldTexts(type: GraphQLObjectType): Generator<string> {
  for (const field of Object.values(type.getFields())) {
    for (const args of argumentsOf(field))
      for (const totals of isConnection(field) ? [true, false] : [false]) {
        const page = isConnection(field) ? ['first: 1'] : [];
        const all = [...page, args].filter(Boolean).join(', ');
        yield `${field.name}${all ? `(${all})` : ''} ${selectionOf(field, totals)}`;
      }
  }
}
