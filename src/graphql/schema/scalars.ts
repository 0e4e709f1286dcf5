import { GraphQLError, GraphQLFloat, type GraphQLScalarType, Kind, print, type ValueNode } from 'graphql';
import { isPlainDouble, SerializedDouble } from '../../kernel/json-text.ts';
import { parseDate, parseDateTime } from '../../kernel/time.ts';
import { builder } from './builder.ts';

const specifications = {
  BigInt: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  Decimal: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  Date: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  DateTime: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
};

/** Replaces the scalars of graphql-scalars, which lose digits past 2^53 and add milliseconds. */
function textScalar(
  name: 'BigInt' | 'Decimal' | 'Date' | 'DateTime',
  form: string,
  description: string,
  fits: (text: string) => boolean,
  literals: Kind[] = [Kind.STRING],
) {
  const refused = (given: string, nodes?: ValueNode) =>
    new GraphQLError(`${name} cannot be ${given}; ${form} is needed.`, {
      ...(nodes && { nodes }),
      extensions: { code: 'BAD_INPUT' },
    });
  builder.scalarType(name, {
    description,
    specifiedByURL: specifications[name],
    serialize: (value) => value as string,
    parseValue(value) {
      const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
      if (typeof text === 'string' && fits(text)) return text;
      throw refused(JSON.stringify(value));
    },
    parseLiteral(node: ValueNode) {
      if (literals.includes(node.kind) && 'value' in node && fits(String(node.value)))
        return String(node.value);
      throw refused(print(node), node);
    },
  });
}

// Makes `jsonPieces` write doubles as REST does. Patches graphql-js's Float, because Pothos ignores other scalars of
// that name. Needs one schema per process.
const float: GraphQLScalarType = GraphQLFloat;
const finite = GraphQLFloat.serialize;
float.serialize = (value) => {
  const number = finite(value);
  return isPlainDouble(number) ? number : new SerializedDouble(number);
};

textScalar(
  'BigInt',
  'a whole number as text of decimal digits',
  'A whole number of any size, as decimal text: sums of Gwei exceed the exact range of JSON numbers.',
  (text) => /^-?\d{1,40}$/.test(text),
  [Kind.STRING, Kind.INT],
);
textScalar(
  'Decimal',
  'a decimal number as text',
  'An exact decimal number, as text.',
  (text) => /^-?\d{1,40}(\.\d{1,40})?$/.test(text),
  [Kind.STRING, Kind.INT, Kind.FLOAT],
);
textScalar(
  'Date',
  'a date like 2024-03-31',
  'A UTC date, `YYYY-MM-DD`.',
  (text) => parseDate(text) !== undefined,
);
textScalar(
  'DateTime',
  'a date-time like 2024-03-31T00:00:00Z',
  'A moment in UTC, `YYYY-MM-DDTHH:MM:SSZ`; as input any RFC 3339 date-time.',
  (text) => parseDateTime(text) !== undefined,
);
