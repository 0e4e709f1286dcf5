import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../../src/graphql/run/schema.ts';

/** Literals to give to arguments and input fields of these names. */
type Given = Record<string, string>;

/** A value that fits an input type: what is needed for a query to be valid, not for it to find something. */
function fitting(type: GraphQLInputType, given: Given): string {
  if (isNonNullType(type)) return fitting(type.ofType, given);
  if (isListType(type)) return `[${fitting(type.ofType, given)}]`;
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const fields = type.isOneOf ? all.slice(0, 1) : all.filter(isRequiredInputField);
    return `{ ${fields.map((field) => `${field.name}: ${given[field.name] ?? fitting(field.type, given)}`).join(', ')} }`;
  }
  if (isEnumType(type)) return type.getValues()[0]?.name as string;
  const texts: Record<string, string> = {
    Int: '1',
    Float: '1.5',
    Boolean: 'true',
    BigInt: '"1"',
    Decimal: '"1.5"',
    Date: '"2026-01-01"',
    DateTime: '"2026-01-01T00:00:00Z"',
  };
  return texts[getNamedType(type).name] ?? '"x"';
}

/** A field with the arguments that it needs, and the least of a selection. */
function fieldText(field: GraphQLField<unknown, unknown>, given: Given): string {
  const args = field.args
    .filter((arg) => isRequiredArgument(arg) || arg.name in given)
    .map(({ name, type }) => `${name}: ${given[name] ?? fitting(type, given)}`);
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`;
}

/** A valid query for each field at the root of the schema, by its name; `given` are values for what has these names. */
export const rootQueriesWith = (given: Given): [name: string, query: string][] =>
  (['query', 'mutation'] as const).flatMap((kind) => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).map((field): [string, string] => [
      `${type?.name}.${field.name}`,
      `${kind} { ${fieldText(field, given)} }`,
    ]);
  });

export const rootQueries = rootQueriesWith({});
