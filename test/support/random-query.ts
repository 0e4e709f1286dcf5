import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';

export type RandomQuery = { query: string; variables: Record<string, unknown> };

/** What a random query is made of: numbers drawn one after the other, so that fast-check can shrink them. */
type Draw = (below: number) => number;
type Values = { text: Record<string, string[]>; ids: string[] };
type Making = {
  schema: GraphQLSchema;
  draw: Draw;
  values: Values;
  variables: Map<string, { type: string; value: unknown }>;
  fragments: string[];
  aliases: number;
  /** Without directives, and most rows of nothing but their own fields: what comes as one text of PostgreSQL. */
  plain: boolean;
};

const DEPTH = 6;

/** Valid queries of the schema: aliases, variables, fragments, directives, and arguments that are sometimes refused. */
export const randomQuery = (
  schema: GraphQLSchema,
  values: Values,
  { plain = false } = {},
): fc.Arbitrary<RandomQuery> =>
  fc.infiniteStream(fc.nat(1_000_000)).map((stream) => {
    const draw: Draw = (below) => stream.next().value % below;
    const making: Making = { schema, draw, values, variables: new Map(), fragments: [], aliases: 0, plain };
    const set = selection(making, schema.getQueryType() as GraphQLNamedType, 0);
    const declared = [...making.variables].map(([name, { type }]) => `$${name}: ${type}`);
    const head = declared.length > 0 ? `query (${declared.join(', ')}) ` : '';
    return {
      query: `${head}${set} ${making.fragments.join(' ')}`,
      variables: Object.fromEntries([...making.variables].map(([name, { value }]) => [name, value])),
    };
  });

function selection(making: Making, type: GraphQLNamedType, depth: number): string {
  const { draw, schema } = making;
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const root = depth === 0;
  if (making.plain && schema.getType(`${type.name}Connection`) && draw(8) > 0) return plainRow(making, type);
  const written = making.plain && root && draw(8) > 0;
  const fields = Object.values(type.getFields()).filter(
    (field) =>
      (isLeafType(getNamedType(field.type)) || depth < DEPTH) &&
      (!written ||
        /^(Operator|StakeAuthority|AttestationRecord)(Connection)?$/.test(getNamedType(field.type).name)),
  );
  const wide = root ? 1 + draw(2) : 1 + draw(5);
  const parts = Array.from({ length: wide }, (): string => {
    const field = fields[draw(fields.length)] as GraphQLField<unknown, unknown>;
    return isLeafType(getNamedType(field.type)) || draw(3) > 0 || root
      ? selected(making, field, depth)
      : '__typename';
  });
  const { nodes } = type.getFields();
  if (making.plain && !root && nodes && draw(4) > 0) parts.push(selected(making, nodes, depth));
  if (!parts.some((part) => part !== '')) parts.push('__typename');
  if (isInterfaceType(type)) {
    const types = schema.getPossibleTypes(type);
    const one = types[draw(types.length)] as GraphQLNamedType;
    parts.push(`... on ${one.name} ${selection(making, one, depth + 1)}`);
  }
  const text = `{ ${parts.join(' ')} }`;
  if (root) return text;
  const kind = draw(8);
  if (kind === 0) return `{ ... on ${type.name} ${text} }`;
  if (kind === 1) return `{ ...${directive(making)} ${text} __typename }`;
  if (kind > 2) return text;
  const name = `F${making.fragments.length}`;
  making.fragments.push(''); // its place, before those within it
  making.fragments[Number(name.slice(1))] = `fragment ${name} on ${type.name} ${text}`;
  return making.plain ? `{ ...${name} }` : `{ ...${name} ...${name}${directive(making)} }`;
}

/** Fields that a row has by itself, in part within a fragment. */
function plainRow(making: Making, type: GraphQLObjectType | GraphQLInterfaceType): string {
  const summary = type.getFields().summary;
  if (summary && making.draw(4) > 0) {
    const key = type.name === 'Operator' ? 'operatorId' : 'stakeAuthority';
    const window = making.draw(4) > 0 ? 'SEVEN_DAYS' : 'ALL';
    return `{ ${key} summary(window: ${window}) ${plainRow(making, getNamedType(summary.type) as GraphQLObjectType)} }`;
  }
  const own = Object.values(type.getFields()).flatMap(({ name, type: kind, args, resolve, extensions }) => {
    const keys = extensions.storedKeys as string[] | undefined;
    if (keys) return [`${name} { ${keys.join(' ')} }`];
    return isLeafType(getNamedType(kind)) && args.length === 0 && (!resolve || extensions.column)
      ? [name]
      : [];
  });
  const some = Array.from({ length: 1 + making.draw(6) }, () => {
    const alias = `a${making.aliases++}: `;
    return making.draw(8) === 0 ? `${alias}__typename` : alias + own[making.draw(own.length)];
  });
  const cut = making.draw(some.length + 1);
  const rest = cut < some.length ? `... on ${type.name} { ${some.slice(cut).join(' ')} }` : '';
  return `{ ${some.slice(0, cut).join(' ')} ${rest} }`;
}

function directive(making: Making): string {
  if (making.plain) return '';
  const kind = making.draw(6);
  if (kind > 3) return '';
  const name = kind % 2 === 0 ? 'include' : 'skip';
  const on = making.draw(3) > 0;
  return ` @${name}(if: ${kind < 2 ? String(on) : variable(making, 'Boolean!', on)})`;
}

function variable(making: Making, type: string, value: unknown): string {
  const name = `v${making.variables.size}`;
  making.variables.set(name, { type, value });
  return `$${name}`;
}

function selected(making: Making, field: GraphQLField<unknown, unknown>, depth: number): string {
  const named = getNamedType(field.type);
  const given = field.args.flatMap((arg) => {
    const { name } = arg;
    const needed = isNonNullType(arg.type) || (making.plain && /^(operatorId|idType|window)$/.test(name));
    if (!needed && making.draw(3) > 0 && name !== 'first') return [];
    if (name === 'last' || name === 'before') return [];
    // These arguments lead to other statements, or are mostly refused.
    if (making.plain && /^(ids|orderBy|where|after|parentId)$/.test(name)) return [];
    if (making.plain && name === 'window') return ['window: SEVEN_DAYS'];
    return [`${name}: ${argument(making, arg)}`];
  });
  // A name of its own: two of one name with other arguments could not be merged.
  const alias = `a${making.aliases++}: `;
  const args = given.length > 0 ? `(${given.join(', ')})` : '';
  const below = isLeafType(named) ? '' : ` ${selection(making, named, depth + 1)}`;
  return `${alias}${field.name}${args}${directive(making)}${below}`;
}

/** Without variables in an input of which one field is given: those would have to be non-null. */
function inputObject(making: Making, type: GraphQLInputObjectType): string {
  const fields = Object.values(type.getFields());
  const given = type.isOneOf
    ? [fields[making.draw(fields.length)] as GraphQLInputField]
    : fields.filter((field) => isNonNullType(field.type) || making.draw(3) === 0);
  const parts = given.map((field) => `${field.name}: ${argument(making, field, type.isOneOf)}`);
  return `{ ${parts.join(', ')} }`;
}

function argument(making: Making, arg: GraphQLArgument | GraphQLInputField, plain = false): string {
  const { draw, values } = making;
  const type = getNamedType(arg.type);
  if (isInputObjectType(type)) return inputObject(making, type);
  const asVariable = draw(3) === 0 && !plain;
  const list = /\[/.test(String(arg.type));
  const literal = (value: unknown, text = JSON.stringify(value)) => {
    if (asVariable) return variable(making, String(arg.type), list ? [value] : value);
    return list ? `[${text}]` : text;
  };
  if (isEnumType(type)) {
    const name = type.getValues()[draw(type.getValues().length)]?.name;
    return literal(name, name);
  }
  if (type.name === 'ID') return literal(values.ids[draw(values.ids.length)]);
  if (type.name === 'Boolean') return literal(draw(2) === 0);
  if (type.name === 'Int')
    return literal(arg.name === 'first' ? draw(6) + (making.plain ? draw(2) : 0) : draw(2_000));
  if (type.name === 'Date') return literal(draw(4) === 0 ? '2024-02-30' : '2025-11-05');
  const texts = values.text[arg.name] ?? ['Alder Liquid', 'nobody', ''];
  return literal(texts[draw(texts.length)]);
}
