import { weightOf } from '../../src/accounts/compute-units.ts';
import { networkParam } from '../../src/chain/params.ts';
import type { FieldCost } from '../../src/graphql/run/metering.ts';
import { openApiDocument } from '../../src/http/rest/openapi.ts';
import { paramDocument } from '../../src/kernel/params.ts';
import { routes } from '../../src/resources/index.ts';
import { rules } from '../contract/rules.ts';
import {
  argument,
  graphqlFields,
  type Operation,
  operations,
  type Parameter,
  refused,
  type Shown,
  taken,
  testsOf,
} from './interface.ts';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n');
const test = (file: string, title: string) => `\`${file}\` ${title}`;

/** The API reference, as any reader of JSON has it. */
export const document = openApiDocument(routes, 'X-Service-Network', '0') as any;
const unitsOf = ({ route }: Operation) => route.units ?? route.operationId;
const operationOf = (field: { extensions: unknown }) => (field.extensions as FieldCost).operation;

/** What a parameter takes, in words. */
function takes({ place, name, type }: Parameter, { route }: Operation): { takes: string; fallback: string } {
  if (place === 'body') {
    const { properties, required = [] } = bodyOf(route);
    const { type = 'value', minItems = 0, maxItems, minLength = 1, maxLength } = properties[name];
    const size =
      type === 'array' ? `${minItems} to ${maxItems} entries` : `${minLength} to ${maxLength} characters`;
    return { takes: `${type} of ${size}`, fallback: required.includes(name) ? 'required' : '' };
  }
  if (name === 'Idempotency-Key') return { takes: 'text of 1 to 255 visible characters', fallback: '' };
  const { schema, required } = paramDocument((type ?? networkParam()) as never) as any;
  const [kind] = [schema.type].flat();
  const words = schema.enum
    ?.filter((value: unknown) => value !== null)
    .map((value: unknown) => `\`${value}\``);
  const form = () => {
    if (words) return words.length === 1 ? words[0] : `one of ${words.join(', ')}`;
    if (kind === 'integer') return `integer from ${schema.minimum} to ${schema.maximum}`;
    if (kind === 'boolean') return '`true` or `false`';
    if (schema.format) return { date: 'date', uuid: 'UUID' }[schema.format as string];
    if (schema.maxLength) return `text of 1 to ${schema.maxLength} characters`;
    return schema.examples
      ? `a form like ${schema.examples.map((one: unknown) => `\`${one}\``).join(', ')}`
      : 'text of its form';
  };
  return {
    takes: [form(), [schema.type].flat().includes('null') && 'or null', schema.deprecated && '(deprecated)']
      .filter(Boolean)
      .join(' '),
    fallback: required ? 'required' : schema.default === undefined ? '' : `\`${schema.default}\``,
  };
}

function bodyOf({ path, method }: Operation['route']): any {
  const own = document.paths[path.replace(/:(\w+)/g, '{$1}')][String(method).toLowerCase()];
  const { schema } = own.requestBody.content['application/json'];
  return schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}

function section(operation: Operation, by: (item: string) => string): string {
  const { name, route, parameters } = operation;
  const [method, path] = name.split(' ') as [string, string];
  const { responses } = document.paths[path][method.toLowerCase()];
  const { base, item } = weightOf(unitsOf(operation));
  const twins = graphqlFields.filter(({ field }) => operationOf(field) === unitsOf(operation));
  const head = [
    `${route.summary}. Costs ${base}${item ? ` and ${item} a row` : ''} (\`${unitsOf(operation)}\`).`,
    route.successor ? `Deprecated: \`${route.successor}\` takes its place.` : '',
    twins.length
      ? `GraphQL: ${twins.map((field) => `\`${field.name}\``).join(', ')}.`
      : 'No twin in GraphQL.',
    `Answers ${Object.keys(responses).join(', ')}.`,
    `Test: ${by(name)}.`,
  ];
  const rows = parameters.map((parameter) => {
    const { takes: what, fallback } = takes(parameter, operation);
    return [
      `\`${parameter.name}\``,
      parameter.place,
      what,
      fallback,
      by(taken(operation, parameter)),
      by(refused(operation, parameter)),
    ];
  });
  return [
    `### ${name}`,
    head.filter(Boolean).join(' '),
    ...(rows.length ? [table(['parameter', 'in', 'takes', 'default', 'taken', 'refused'], rows)] : []),
  ].join('\n\n');
}

/** docs/interface.md: every path, parameter, header and rule, and every question of GraphQL, each with its test. */
export function interfacePage(shown: Shown): string {
  const tests = testsOf(shown);
  const by = (item: string) => {
    const found = tests.get(item);
    return found ? test(found.file, found.title) : '**no test**';
  };
  const ruleRows = rules.map(({ name, from, rule, test: [file, title] }) => [
    name,
    rule,
    from,
    test(file, title),
  ]);
  const fieldRows = graphqlFields.flatMap((field) => [
    [`\`${field.name}\``, '', `\`${field.field.type}\``, by(field.name)],
    ...field.field.args.map((arg) => [
      '',
      `\`${arg.name}\``,
      `\`${arg.type}\``,
      by(argument(field, arg.name)),
    ]),
  ]);
  return `${[
    '# The interface and its tests',
    'Written by `npm run docs` from the routes, the GraphQL schema and the calls that the tests make: do not edit. Each path, parameter, header, rule, field and argument has a test that shows it, named by its file below `test/` and its title. What is refused and how defaults, bounds, null and repeated values are read is tested for every parameter of every path in `contract/parameters`. Every path takes `Authorization` and `X-Request-Id` as the rules say. Meanings are in `/docs`.',
    '## Rules',
    table(['rule', 'in words', 'from', 'test'], ruleRows),
    '## REST',
    ...operations.map((operation) => section(operation, by)),
    '## GraphQL',
    'The fields of the roots, and all others that take arguments.',
    table(['field', 'argument', 'type', 'test'], fieldRows),
  ].join('\n\n')}\n`;
}
