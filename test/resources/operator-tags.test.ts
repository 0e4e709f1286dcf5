import { beforeEach, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { load } from '../refresh/facts.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({
    text: 'truncate operator_summaries, operator_lists, operator_series, operator_history, datasets cascade',
    values: [],
  }),
);

const tag = (name: string, path: string | null, idType: string | null) => ({ name, path, idType });
const select =
  'operatorTags { name path idType operator { operatorId idType network summary(window: SEVEN_DAYS) { validatorCount } } }';
async function tagsOf(id: string, idType = 'POOL') {
  const { data, errors } = await gateway.graphql(
    `{ operator(operatorId: "${id}", idType: ${idType}) { ${select} } }`,
  );
  expect(errors).toBeUndefined();
  return data.operator.operatorTags;
}

it('a tag leads to the pool of its name, and to the operator in its path, else of its name', async () => {
  const address = `0x${'ab'.repeat(20)}`;
  await load(gateway, 'operators', [
    operator('Züri & Co', { idType: 'nodeOperator', validatorCount: 3 }),
    operator('By name', { idType: 'nodeOperator' }),
    operator(address, { idType: 'nodeOperator' }),
    operator('Pool', { idType: 'pool', validatorCount: 9 }),
    operator('Other', { idType: 'pool' }),
    operator('P', {
      operatorTags: [
        tag('a label', '/o/Z%C3%BCri%20%26%20Co', 'nodeOperator'),
        tag('By name', null, 'nodeOperator'),
        tag('upper case', `/o/${address.toUpperCase().replace('0X', '0x')}`, 'nodeOperator'),
        tag('Pool', '/o/Other', 'pool'),
      ],
    }),
  ]);
  expect((await tagsOf('P')).map((one: any) => one.operator)).toEqual([
    { operatorId: 'Züri & Co', idType: 'NODE_OPERATOR', network: 'MAINNET', summary: { validatorCount: 3 } },
    { operatorId: 'By name', idType: 'NODE_OPERATOR', network: 'MAINNET', summary: { validatorCount: 10 } },
    { operatorId: address, idType: 'NODE_OPERATOR', network: 'MAINNET', summary: { validatorCount: 10 } },
    { operatorId: 'Pool', idType: 'POOL', network: 'MAINNET', summary: { validatorCount: 9 } },
  ]);
});

it('a label leads to no operator, nor does a tag of one that is not stored or of no id', async () => {
  const tags = [
    tag('P', '/o/P', null),
    tag('exchange', '/tags/exchange', null),
    tag('P', null, 'somethingElse'),
    tag('P', null, 'privateSet'),
    tag('Unknown', null, 'pool'),
    tag('NUL', '/o/%00', 'entity'),
    tag('long', `/o/${'x'.repeat(257)}`, 'entity'),
    tag('', null, 'pool'),
  ];
  await load(gateway, 'operators', [operator('P', { operatorTags: tags })]);
  expect(await tagsOf('P')).toEqual(tags.map((one) => ({ ...one, operator: null })));
});

it('the operators of the tags of a page are one statement', async () => {
  const sample = await gatewayForTest();
  sample.statements.length = 0;
  const { data, errors } = await sample.graphql(
    `{ operators(window: SEVEN_DAYS, idType: POOL_SHARE, first: 50) { nodes {
      operatorTags { name idType operator { id operatorId idType displayName } }
    } } }`,
  );
  expect(errors).toBeUndefined();
  expect(sample.statements).toEqual(['operatorPages', 'operatorsById']);
  const tags = data.operators.nodes.flatMap((node: any) => node.operatorTags);
  expect(tags).toHaveLength(100);
  for (const { name, idType, operator: found } of tags) {
    expect(found.idType).toBe(idType === 'pool' ? 'POOL' : 'NODE_OPERATOR');
    if (idType === 'pool') expect(found.operatorId).toBe(name);
  }
});

it('tags have the same fields whether an operator is selected or not', async () => {
  const sample = await gatewayForTest();
  const page = (inner: string) =>
    `{ operators(window: SEVEN_DAYS, idType: POOL_SHARE, first: 50) { nodes { operatorTags { name path idType ${inner} } } } }`;
  const [plain, linked] = [
    await sample.graphql(page('')),
    await sample.graphql(page('operator { __typename }')),
  ];
  expect(
    linked.data.operators.nodes.map((node: any) =>
      node.operatorTags.map(({ operator: _, ...one }: any) => one),
    ),
  ).toEqual(plain.data.operators.nodes.map((node: any) => node.operatorTags));
});
