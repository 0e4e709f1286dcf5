import { readFileSync } from 'node:fs';
import { type GraphQLField, getNamedType, getNullableType, isListType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { computeUnits, type Weight } from '../../src/accounts/compute-units.ts';
import { isConnection } from '../../src/fast-rows/rewrite.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import type { FieldCost } from '../../src/graphql/schema/field-cost.ts';
import { routes } from '../../src/resources/index.ts';
import { operations as documented, replyOf } from '../support/interface-page.ts';

type Field = GraphQLField<unknown, unknown>;
const objects = Object.values(schema.getTypeMap()).filter(
  (type) => isObjectType(type) && !type.name.startsWith('__'),
);
const fields = objects.flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
    : [],
);
const costOf = (field: Field) => field.extensions as FieldCost;
const unitsOf = (route: (typeof routes)[number]) => route.units ?? route.operationId;
const operations = routes.map(unitsOf);

describe('the table of compute units', () => {
  it('has a line for each REST path', () => {
    expect(operations.filter((operation) => !(operation in computeUnits))).toEqual([]);
  });

  it('has no line that neither a REST path nor a GraphQL field names', () => {
    const named = new Set([...operations, ...fields.map(([, field]) => costOf(field).operation)]);
    named.add('introspection'); // `__schema` and `__type`, which are in no type of the schema
    expect(Object.keys(computeUnits).filter((operation) => !named.has(operation))).toEqual([]);
  });

  it('has whole numbers >= 0', () => {
    for (const weight of Object.values(computeUnits)) {
      const { base, item } = weight;
      for (const value of [base, item]) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
    }
  });

  it('is in docs/accounts.md, line by line', () => {
    const page = readFileSync(new URL('../../docs/accounts.md', import.meta.url), 'utf8');
    const line = ([name, { base, item, reads = '' }]: [string, Weight]) => {
      const [route, ...alike] = routes.filter((route) => unitsOf(route) === name);
      const path = route?.path.replace(/:(\w+)/g, '{$1}');
      const others = alike.length > 0 ? ` and ${alike.length} like it` : '';
      const what = route ? `\`${route.method ?? 'GET'} ${path}\`${others}` : 'GraphQL alone';
      return `| \`${name}\` | ${what} | ${base} | ${item} | ${reads} |`;
    };
    const lines = Object.entries(computeUnits).map(line);
    expect(lines.filter((text) => !page.includes(text))).toEqual([]);
    const table =
      page.split('| operation | what | base | each row | each 1,000 |')[1]?.split('\n\n')[0] ?? '';
    expect(table.trim().split('\n').length - 1).toBe(lines.length);
  });

  it('is in the API reference, at each operation', () => {
    expect(documented).toHaveLength(routes.length);
    for (const operation of documented) {
      const route = routes.find(({ operationId }) => operationId === operation.operationId);
      const weight = computeUnits[unitsOf(route as never) as keyof typeof computeUnits];
      expect(operation['x-compute-units']).toEqual(weight);
      expect(operation.description).toContain(`Costs ${weight.base} compute unit`);
      if ('reads' in weight) expect(operation.description).toContain(`for each 1,000 ${weight.reads}`);
      for (const reply of Object.values(operation.responses))
        expect(replyOf(reply)?.headers).toHaveProperty('X-Service-Compute-Units');
    }
  });
});

describe('each GraphQL field', () => {
  it('at the root names its operation', () => {
    const root = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
      (type) => Object.values(type?.getFields() ?? {}),
    );
    expect(root.filter((field) => !costOf(field).operation).map(({ name }) => name)).toEqual([]);
  });

  it('that gives a page names its operation, and takes the rows of a page from the one default', () => {
    const pages = fields.filter(([, field]) => isConnection(field));
    expect(pages.length).toBeGreaterThan(5);
    const bare = pages.filter(([, field]) => !costOf(field).operation || costOf(field).rows !== undefined);
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('that gives a list which costs something says how many rows it has at the most', () => {
    const known = new Map<string, boolean>();
    /** Whether something that is charged can be selected below a field. */
    const charges = (field: Field): boolean => {
      const type = getNamedType(field.type);
      if (!isObjectType(type)) return false;
      const before = known.get(type.name);
      if (before !== undefined) return before;
      known.set(type.name, false);
      const found = Object.values(type.getFields()).some(
        (inner) => costOf(inner).operation || charges(inner),
      );
      known.set(type.name, found);
      return found;
    };
    const bare = fields.filter(
      ([name, field]) =>
        isListType(getNullableType(field.type)) &&
        !/^\w+Connection\./.test(name) &&
        !field.args.some(({ name }) => name === 'ids') &&
        (costOf(field).operation || charges(field)) &&
        !((costOf(field).rows ?? 0) > 0),
    );
    expect(bare.map(([name]) => name)).toEqual([]);
  });
});
