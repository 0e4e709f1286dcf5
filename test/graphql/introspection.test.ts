import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/graphql/run/limits.ts';
import { costOf } from '../../src/graphql/run/query-cost.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { makeAccount } from '../support/accounts.ts';
import { fieldsIn } from '../support/answers.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

const yesOrNo = [true, false];
/** What tools ask by graphql-js: GraphiQL, Apollo, urql, codegen. */
const ofTools = yesOrNo.flatMap((descriptions) =>
  yesOrNo.flatMap((newer) =>
    yesOrNo.map((inputValueDeprecation): [string, string] => {
      const more = {
        schemaDescription: newer,
        specifiedByUrl: newer,
        directiveIsRepeatable: newer,
        oneOf: newer,
      };
      const options = { descriptions, inputValueDeprecation, ...more };
      return [JSON.stringify(options), getIntrospectionQuery(options)];
    }),
  ),
);
const small: [string, string][] = [
  ['a type', '{ __type(name: "Operator") { name fields { name type { name kind ofType { name kind } } } } }'],
  ['a type by a variable', 'query ($name: String!) { __type(name: $name) { enumValues { name } } }'],
  ['names of types', '{ __schema { types { name } queryType { name } } }'],
  ['two types', '{ a: __type(name: "Block") { name } b: __type(name: "Nobody") { name } }'],
  ['__typename', '{ __typename __schema { __typename directives { locations args { defaultValue } } } }'],
  [
    'what is skipped',
    'query ($no: Boolean = false) { __schema { types { name fields @include(if: $no) { name } } } }',
  ],
];
const variables = { name: 'TimeWindow' };

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const hostile: [string, string][] = [
  [
    'aliases of types',
    `{ __schema { ${times(29, (i) => `a${i}: types { ...T }`)} } }
     fragment T on __Type { name description fields { name description args { name description } } }`,
  ],
  [
    'aliases of fields',
    `{ __schema { types { ${times(29, (i) => `a${i}: fields { name description args { name description } }`)} } } }`,
  ],
  [
    'the types of interfaces',
    `{ __schema { types { ${times(28, (i) => `a${i}: possibleTypes { kind name description fields { name type { name kind } } }`)} } } }`,
  ],
  [
    '20 types',
    `{ ${times(20, (i) => `a${i}: __type(name: "Query") { fields { ...F args { ...V } } }`)} }
     fragment F on __Field { name description isDeprecated deprecationReason type { ...R } } fragment V on __InputValue { name description defaultValue isDeprecated deprecationReason type { ...R enumValues { name description } } }
     fragment R on __Type { kind name description ofType { kind name description specifiedByURL isOneOf ofType { kind name description specifiedByURL isOneOf } } }`,
  ],
];

describe('introspection by the usual tools', () => {
  it.each([...ofTools, ...small])(
    'is answered, and is the same whenever it is asked: %s',
    async (_name, query) => {
      const answers = [];
      for (let time = 0; time < 3; time += 1) answers.push(await gateway.graphql(query, variables));
      expect(answers[0]?.errors).toBeUndefined();
      for (const { text, headers } of answers) {
        expect(text).toBe(answers[0]?.text);
        expect(headers.get('x-service-compute-units')).toBe(
          answers[0]?.headers.get('x-service-compute-units'),
        );
      }
      expect(gateway.statements).toEqual([]);
    },
  );

  it.each([...ofTools, ...small])(
    'is charged one unit and one for each hundred fields: %s',
    async (_name, query) => {
      const { json, headers } = await gateway.graphql(query, variables);
      const counted = JSON.stringify(json.data, (key, value) => (key === '__typename' ? undefined : value));
      const fields = fieldsIn(JSON.parse(counted));
      const units = 1 + Math.ceil(fields / 100);
      expect(json.extensions.cost).toMatchObject({ estimated: units, charged: units });
      expect(headers.get('x-service-compute-units')).toBe(String(units));
      expect(costOf(schema, parse(query), null, variables).introspection).toBe(fields);
    },
  );

  it('takes no more than half of what the limit allows, so that the schema may grow', () => {
    const most = Math.max(
      ...ofTools.map(([, query]) => costOf(schema, parse(query), null, {}).introspection),
    );
    expect(most).toBeLessThan(limits.introspection * 0.5);
    expect(most).toBeGreaterThan(limits.introspection * 0.25);
  });

  it('is charged beside what else is asked for', async () => {
    const query = '{ viewer { account } slashings { totalCount } __schema { queryType { name } } }';
    const alone = (await gateway.graphql('{ viewer { account } slashings { totalCount } }')).json.extensions
      .cost;
    const { cost } = (await gateway.graphql(query)).json.extensions;
    expect(cost.charged - alone.charged).toBe(2);
    expect(cost.estimated - alone.estimated).toBe(2);
  });

  it('is refused, kept or not, where it may cost more than the account has left', async () => {
    const { authorization } = await makeAccount(gateway, { unitAllowance: 100 });
    const query = getIntrospectionQuery();
    for (let time = 0; time < 3; time += 1) {
      const { errors } = await gateway.graphql(query, {}, { authorization });
      expect(errors?.[0].extensions).toMatchObject({ code: 'COST_LIMIT' });
    }
  });
});

describe('introspection', () => {
  it.each(hostile)('that multiplies is refused, with the limit that it passes: %s', async (_name, query) => {
    for (let time = 0; time < 3; time += 1) {
      const { errors, json } = await gateway.graphql(query);
      const { introspection: max } = limits;
      expect(errors?.[0].extensions).toMatchObject({ code: 'QUERY_LIMIT', limit: 'introspection', max });
      expect(errors?.[0].message).toContain(`${max} fields of introspection`);
      expect(json.extensions.cost.charged).toBe(1);
    }
  });

  it.each([
    ['{ a: __schema { queryType { name } } b: __schema { queryType { name } } }'],
    ['{ __schema { queryType { name } } ...F } fragment F on Query { __schema { queryType { name } } }'],
  ])('takes one __schema: %s', async (query) => {
    const { errors } = await gateway.graphql(query);
    expect(errors?.[0].extensions).toMatchObject({ code: 'QUERY_LIMIT', limit: 'schemas', max: 1 });
  });

  it('whose fragments spread the next twice is answered or refused quickly', async () => {
    for (const last of ['name', 'name @skip(if: true)']) {
      const chain = times(
        100,
        (i) => `fragment F${i} on __Type { ${i < 99 ? `...F${i + 1} ...F${i + 1}` : last} }`,
      );
      const { status } = await gateway.graphql(`{ __schema { types { ...F0 } } } ${chain}`);
      expect(status).toBe(200);
    }
  });
});
