import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from '../../src/graphql/run/schema.ts';

type Composite = GraphQLObjectType | GraphQLInterfaceType;
type Field = GraphQLField<unknown, unknown>;
/** A literal for a required argument, such as `window`; undefined leaves the field out. */
export type Required = (owner: string, field: Field, argument: string) => string | undefined;

const isComposite = (type: GraphQLNamedType): type is Composite =>
  isObjectType(type) || isInterfaceType(type);
const isPage = (type: GraphQLNamedType) => type.name.endsWith('Connection');

function argumentsOf(owner: Composite, field: Field, required: Required): string | undefined {
  const given = field.args.filter(isRequiredArgument).map(({ name }) => {
    const literal = required(owner.name, field, name);
    return literal && `${name}: ${literal}`;
  });
  if (isPage(getNamedType(field.type))) given.push('first: 2');
  if (given.includes(undefined)) return undefined;
  return given.length > 0 ? `(${given.join(', ')})` : '';
}

/** Every field of a type, to a depth of objects below it. */
export function everyField(type: Composite, depth: number, required: Required): string {
  const parts = Object.values(type.getFields()).flatMap((field) => {
    const below = getNamedType(field.type);
    const given = argumentsOf(type, field, required);
    if (given === undefined || field.name === 'edges') return [];
    if (isLeafType(below)) return [`${field.name}${given}`];
    if (!isComposite(below) || (depth === 0 && !isPage(type))) return [];
    return [`${field.name}${given} ${everyField(below, isPage(type) ? depth : depth - 1, required)}`];
  });
  return `{ __typename ${parts.join(' ')} }`;
}

export type Conflict = { record: string; field: string; values: [unknown, unknown]; from: [string, string] };

/**
 * What a client with a normalised cache keeps: the fields of each object, under its type and id. A second value of one
 * field is a conflict: such a client shows it wherever the first was asked for.
 */
export class Records {
  readonly conflicts: Conflict[] = [];
  readonly #values = new Map<string, { value: unknown; text: string; from: string }>();
  readonly #sources = new Map<string, Set<string>>();

  /** The ids of a type, those that most queries have read first, with the number of these queries. */
  idsOf(type: string): { id: string; queries: number }[] {
    return [...this.#sources]
      .filter(([name]) => name.startsWith(`${type}:`))
      .map(([name, { size }]) => ({ id: name.slice(type.length + 1), queries: size }))
      .sort((one, other) => other.queries - one.queries);
  }

  add(answer: Record<string, unknown>, required: Required, from: string): void {
    for (const [name, value] of Object.entries(answer))
      this.#field('Query', `${name} of ${from}`, value, required, from);
  }

  #field(record: string, field: string, value: unknown, required: Required, from: string): void {
    if (Array.isArray(value)) {
      this.#write(record, `${field}.length`, value.length, from);
      for (const [index, item] of value.entries())
        this.#field(record, `${field}.${index}`, item, required, from);
    } else if (typeof value === 'object' && value !== null) {
      const { __typename: typename, id } = value as { __typename: string; id?: string };
      const key = id === undefined ? `${record}.${field}` : `${typename}:${id}`;
      this.#write(record, field, key, from);
      this.#object(key, typename, value, required, from);
    } else this.#write(record, field, value, from);
  }

  #object(key: string, typename: string, value: object, required: Required, from: string): void {
    if ('id' in value) this.#sources.set(key, (this.#sources.get(key) ?? new Set()).add(from));
    const type = schema.getType(typename) as GraphQLObjectType;
    for (const [name, below] of Object.entries(value)) {
      if (name === '__typename') continue;
      const field = type.getFields()[name] as Field;
      this.#field(key, `${name}${argumentsOf(type, field, required)}`, below, required, from);
    }
  }

  #write(record: string, field: string, value: unknown, from: string): void {
    const name = `${record} ${field}`;
    const text = JSON.stringify(value);
    const known = this.#values.get(name);
    if (!known) this.#values.set(name, { value, text, from });
    else if (known.text !== text)
      this.conflicts.push({ record, field, values: [known.value, value], from: [known.from, from] });
  }
}
