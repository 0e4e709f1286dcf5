import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { schema } from '../../src/graphql/schema/index.ts';

type Parent = GraphQLObjectType | GraphQLInterfaceType;
type Field = GraphQLField<unknown, unknown>;
export type Deprecation = {
  parent: Parent;
  field: Field;
  /** Where only an argument of the field is deprecated. */
  argument?: GraphQLArgument;
  /** As `Type.field` or `Type.field(argument:)`. */
  name: string;
  reason: string;
  replacement: string;
  lastDay: string;
};

function read(reason: string) {
  const [, replacement = '', lastDay = ''] =
    /^Use (.+)\. Works until (\d{4}-\d{2}-\d{2})\.$/.exec(reason) ?? [];
  return { reason, replacement, lastDay };
}

const isInherited = (parent: Parent, { name }: Field) =>
  parent.getInterfaces().some((one) => one.getFields()[name]?.deprecationReason);

/** Every deprecated field and argument; fields of an interface once. */
export const deprecations: Deprecation[] = Object.values(schema.getTypeMap())
  .filter((type): type is Parent => isObjectType(type) || isInterfaceType(type))
  .toSorted((a, b) => a.name.localeCompare(b.name))
  .flatMap((parent) =>
    Object.values(parent.getFields())
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .filter((field) => !isInherited(parent, field))
      .flatMap((field) => {
        const own = `${parent.name}.${field.name}`;
        if (field.deprecationReason) return [{ parent, field, name: own, ...read(field.deprecationReason) }];
        return field.args.flatMap((argument) =>
          argument.deprecationReason
            ? [
                {
                  parent,
                  field,
                  argument,
                  name: `${own}(${argument.name}:)`,
                  ...read(argument.deprecationReason),
                },
              ]
            : [],
        );
      }),
  );

/** The type that a field leads to: of a list, that of its rows. */
function rowType(field: Field): Parent | undefined {
  const type = getNamedType(field.type);
  const rows = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields().nodes : undefined;
  const found = rows ? getNamedType(rows.type) : type;
  return isObjectType(found) || isInterfaceType(found) ? found : undefined;
}

/** Whether `text`, such as `by`, `summary(window:)` or `summary { window }`, is there and not deprecated itself. */
function exists({ parent, field, argument }: Deprecation, text: string): boolean {
  const [, name = '', args = '', inner] =
    /^(\w+)(?:\(([\w:, ]+)\))?(?: \{ (\w+) \})?(?: of each \w+)?$/.exec(text) ?? [];
  const sibling = argument && field.args.find((one) => one.name === name);
  if (sibling) return !sibling.deprecationReason && !args && !inner;
  const places = argument
    ? [rowType(field), schema.getQueryType()]
    : [parent, schema.getQueryType(), schema.getMutationType()];
  const found = places.map((place) => place?.getFields()[name]).find((one) => one && !one.deprecationReason);
  if (!found) return false;
  const named = args.split(', ').map((one) => one.replace(':', ''));
  return (
    (!args || named.every((one) => found.args.some((arg) => arg.name === one && !arg.deprecationReason))) &&
    (!inner || rowType(found)?.getFields()[inner] !== undefined)
  );
}

export const hasReplacement = (one: Deprecation): boolean =>
  one.replacement !== '' && one.replacement.split(' or ').every((text) => exists(one, text));

/** The table of docs/deprecation.md. */
export function deprecationTable(): string {
  const rows = new Map<string, string[]>();
  for (const { parent, field, argument, replacement, lastDay } of deprecations) {
    const owner = argument ? `${parent.name}.${field.name}` : parent.name;
    const key = `| \`${owner}\` | {} | \`${replacement}\` | ${lastDay} |`;
    rows.set(key, [...(rows.get(key) ?? []), argument ? `${argument.name}:` : field.name]);
  }
  const lines = [...rows].map(([key, names]) =>
    key.replace('{}', names.map((name) => `\`${name}\``).join(', ')),
  );
  return ['| of | deprecated | use | works until |', '|---|---|---|---|', ...lines, ''].join('\n');
}
