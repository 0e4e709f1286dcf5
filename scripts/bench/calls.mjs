// Requests that make PostgreSQL do most: each field and path of an interface, with each of its filters, orders and totals.
import {
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

const texts = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  BigInt: '"1"',
  Decimal: '"1"',
  Date: '"2024-10-01"',
  DateTime: '"2024-10-01T00:00:00Z"',
  ID: '"x"',
};
const partners = { operatorId: 'idType', idType: 'operatorId' };

const isConnection = (field) => getNamedType(field.type).name.endsWith('Connection');

/** Given together, they are one filter. */
const hasPartner = (field, { name }) =>
  field.args.some((arg) => arg.name === partners[name] && !isRequiredArgument(arg));

/** Of more filters times orders, all orders are taken without a filter and with the first one. */
const MOST_PRODUCTS = 60;

/**
 * A field of `type` with the arguments that it needs, and with them each other one in turn, each with each order, with and
 * without the total. `known` has values that find most, as written in a document, by the name of an argument.
 */
export function* fieldTexts(type, known) {
  /** All values of an enum or of an order, one value of anything else. */
  function valuesOf(name, given) {
    const inner = getNullableType(given);
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
      const narrowed = each.filter((one) => one.name !== fields[0]?.name);
      return [
        ...each.map(({ text }) => `{ ${text} }`),
        ...narrowed.map(({ text }) => `{ ${each[0]?.text}, ${text} }`),
      ];
    }
    return [known[name] ?? texts[getNamedType(inner).name] ?? '"x"'];
  }
  const written = (arg, value = valuesOf(arg.name, arg.type)[0]) => `${arg.name}: ${value}`;

  function argumentsOf(field) {
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

  function selectionOf(field, totals) {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return '';
    if (!isConnection(field)) return '{ __typename }';
    const row = getNamedType(named.getFields().nodes?.type);
    const leaf = isObjectType(row)
      ? Object.values(row.getFields()).find(
          (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
        )?.name
      : '__typename';
    return `{ ${totals ? 'totalCount' : ''} nodes { ${leaf ?? '__typename'} } }`;
  }

  for (const field of Object.values(type.getFields())) {
    for (const args of argumentsOf(field))
      for (const totals of isConnection(field) ? [true, false] : [false]) {
        const page = isConnection(field) ? ['first: 1'] : [];
        const all = [...page, args].filter(Boolean).join(', ');
        yield `${field.name}${all ? `(${all})` : ''} ${selectionOf(field, totals)}`;
      }
  }
}

/**
 * Each path of an OpenAPI document with the parameters that it needs, and with them each value of each other one in turn.
 * `values` are those that find most, encoded, by the name of a parameter; other parameters are taken if they are enums.
 * Paths with an `id`, which names something of one account, are left out.
 */
export function* pathTexts(document, { inPath, inQuery }) {
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (!get || path.includes('{id}')) continue;
    const own = path.replace(/\{(\w+)\}/g, (_, name) => inPath[name] ?? 'x');
    const options = (get.parameters ?? [])
      .filter((one) => one.in === 'query')
      .map(({ name, required, schema }) => ({
        ...{ name, required },
        values: inQuery[name] === undefined ? (schema.enum ?? []) : [inQuery[name]],
      }));
    const base = options.filter(({ required }) => required).map(({ name, values }) => `${name}=${values[0]}`);
    const others = options.filter(({ required, values }) => !required && values.length > 0);
    const names = options.map(({ name }) => name);
    yield `${own}?${base.join('&')}`;
    for (const { name, values } of others)
      for (const value of values) {
        yield `${own}?${[...base, `${name}=${value}`].join('&')}`;
        if (name !== 'entityId' && names.includes('entityId'))
          yield `${own}?${[...base, `${name}=${value}`, `entityId=${inQuery.entityId}`].join('&')}`;
      }
  }
}
