import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { sampleOperators, sampleSlashings, sampleValidators } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();

const validators = [...sampleValidators()].filter((row) => row.network === 'mainnet');
const slashings = [...sampleSlashings()].filter((row) => row.network === 'mainnet');
const shares = new Map(
  [...sampleOperators()]
    .filter((row) => row.network === 'mainnet' && row.idType === 'poolShare')
    .map((row) => [row.id, row]),
);

/** The validators of an operator, computed from the sample data alone. */
function ownValidators(idType: string, id: string) {
  const share = shares.get(id);
  return validators.filter((row) => {
    if (idType === 'poolShare')
      return row.pool === share?.poolId && row.nodeOperator === share?.nodeOperatorId;
    return row[idType as 'pool'] === id;
  });
}

const enumOf = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const classes = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool', 'poolShare'];

describe('operators and their validators', () => {
  it.each(classes)('are those of the sample data, for each %s of a page', async (idType) => {
    const { data, statements } = await gateway.ask(
      `query ($idType: OperatorIdType!) { operators(window: SEVEN_DAYS, idType: $idType, first: 40) { nodes {
        operatorId validators(first: 200) { totalCount nodes { validatorIndex } pageInfo { hasNextPage } } } } }`,
      { idType: enumOf(idType) },
    );
    expect(statements).toEqual(['operatorPages', 'operatorValidatorPages', 'operatorValidatorTotals']);
    for (const { operatorId, validators: page } of data.operators.nodes) {
      const own = ownValidators(idType, operatorId).map((row) => row.validatorIndex);
      expect(page.totalCount).toBe(own.length);
      expect(page.nodes.map((row: any) => row.validatorIndex)).toEqual(own.slice(0, 200));
      expect(page.pageInfo.hasNextPage).toBe(own.length > 200);
    }
    expect(data.operators.nodes[0].validators.totalCount).toBeGreaterThan(0);
  });

  it.each(classes)('have the slashings of those validators, newest first: %s', async (idType) => {
    const { data, statements } = await gateway.ask(
      `query ($idType: OperatorIdType!) { operators(window: SEVEN_DAYS, idType: $idType, first: 200) { nodes {
        operatorId slashings(first: 50) { totalCount nodes { validatorIndex } } } } }`,
      { idType: enumOf(idType) },
    );
    expect(statements).toEqual(['operatorPages', 'operatorSlashingPages', 'operatorSlashingTotals']);
    let found = 0;
    for (const { operatorId, slashings: page } of data.operators.nodes) {
      const own = new Set(ownValidators(idType, operatorId).map((row) => row.validatorIndex));
      const expected = slashings
        .filter((row) => own.has(row.validatorIndex))
        .map((row) => row.validatorIndex)
        .toReversed();
      expect(page.totalCount).toBe(expected.length);
      expect(page.nodes.map((row: any) => row.validatorIndex)).toEqual(expected.slice(0, 50));
      found += expected.length;
    }
    expect(found).toBeGreaterThan(0);
  });

  it('have none where the class has no validators of its own', async () => {
    await gateway.database.pool.query({
      text: `insert into operator_summaries (network, id_type, time_window, operator_id, validator_count,
          avg_correctness, avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags)
        values ('mainnet', 'entity', '7d', 'Alder Liquid', 1, 1, 1, 1, '[]', '[]', '[]'),
          ('mainnet', 'poolShare', '7d', 'a share of nothing', 1, 1, 1, 1, '[]', '[]', '[]')`,
      values: [],
    });
    const { data } = await gateway.ask(`{
      entity: operator(operatorId: "Alder Liquid", idType: ENTITY) { ...Links }
      share: operator(operatorId: "a share of nothing", idType: POOL_SHARE) { ...Links }
    }
    fragment Links on Operator { validators { totalCount nodes { id } } slashings { totalCount nodes { id } } }`);
    const none = { totalCount: 0, nodes: [] };
    expect(data).toEqual({
      entity: { validators: none, slashings: none },
      share: { validators: none, slashings: none },
    });
  });

  slow.each([
    ['validators', 'validatorIndex', 137],
    ['slashings', 'validatorIndex', 7],
  ])('page their %s in both directions, every row once', async (field, key, size) => {
    const id = 'Alder Liquid';
    const own = ownValidators('pool', id).map((row) => row.validatorIndex);
    const expected =
      field === 'validators'
        ? own
        : slashings
            .map((row) => row.validatorIndex)
            .filter((index) => own.includes(index))
            .toReversed();
    expect(expected.length).toBeGreaterThan(size);
    const walk = async (forward: boolean) => {
      const found: number[] = [];
      for (let cursor: string | null = null; ; ) {
        const place: string = cursor ? `, ${forward ? 'after' : 'before'}: "${cursor}"` : '';
        const { data } = await gateway.ask(`{ operator(operatorId: "${id}", idType: POOL) {
          ${field}(${forward ? 'first' : 'last'}: ${size}${place}) {
            nodes { ${key} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`);
        const page = data.operator[field];
        found[forward ? 'push' : 'unshift'](...page.nodes.map((row: any) => row[key]));
        if (!(forward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage)) return found;
        cursor = forward ? page.pageInfo.endCursor : page.pageInfo.startCursor;
      }
    };
    expect(await walk(true)).toEqual(expected);
    expect(await walk(false)).toEqual(expected);
  });

  it.each(['validators', 'slashings'])(
    'refuse sizes out of range and cursors of other lists: %s',
    async (field) => {
      const first = await gateway.ask(`{ operator(operatorId: "Alder Liquid", idType: POOL) {
      ${field}(first: 1) { pageInfo { endCursor } } } }`);
      const cursor = first.data.operator[field].pageInfo.endCursor;
      for (const [id, args] of [
        ['Alder Liquid', 'first: 0'],
        ['Alder Liquid', 'last: 201'],
        ['Alder Liquid', 'first: 1, last: 1'],
        ['Basalt Exchange', `after: "${cursor}"`],
      ]) {
        const { errors } = await gateway.graphql(
          `{ operator(operatorId: "${id}", idType: POOL) { ${field}(${args}) { totalCount } } }`,
        );
        expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
      }
    },
  );
});

describe('operators, their slashed validators and what those earned on sync committees', () => {
  const levels = ['operatorPages', 'operatorSlashingPages', 'validatorsByIndex', 'validatorRewardPages'];
  const query = `query ($first: Int!) { operators(window: SEVEN_DAYS, idType: POOL, first: $first) { nodes {
    operatorId
    slashings(first: 20) { nodes {
      slashingPenalties
      validator { validatorPubkey syncCommitteeRewards(first: 5) { nodes { consensusSlot reward } } }
    } }
  } } }`;

  it.each([1, 10, 40])('are one statement a level for a page of %i', async (first) => {
    const { data, statements } = await gateway.ask(query, { first });
    expect(statements).toEqual(levels);
    expect(data.operators.nodes.flatMap((node: any) => node.slashings.nodes).length).toBeGreaterThan(5);
  });

  it('are one statement more for each level below', async () => {
    const { statements } = await gateway.ask(`{ operators(window: SEVEN_DAYS, first: 10) { nodes {
      validators(first: 20) { nodes {
        slashing { validator { syncCommitteeRewards(first: 2) { nodes { validator { validatorIndex } } } } }
        syncCommitteeRewards(first: 3) { totalCount nodes { consensusSlot } }
        operators { operatorId summary(window: ONE_DAY) { validatorCount } }
      } }
    } } }`);
    expect(statements.toSorted()).toEqual([
      'operatorPages',
      'operatorValidatorPages',
      'operatorsByKey',
      'slashingsByValidator',
      'validatorRewardPages', // of the operators' validators
      'validatorRewardPages', // of the slashed ones, a level below
      'validatorRewardTotals',
      'validatorsByIndex',
    ]);
  });

  it('finds rewards of a validator that was slashed while it sat', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `select validator_index as index from sync_committee_rewards r
        join validators v using (network, validator_index) where v.slashed and network = 'mainnet' limit 1`,
      values: [],
    });
    const { data } = await gateway.ask(`{ slashing(by: { index: ${rows[0]?.index} }) {
      validator { slashed syncCommitteeRewards(first: 1) { nodes { reward } } } } }`);
    expect(data.slashing.validator.slashed).toBe(true);
    expect(data.slashing.validator.syncCommitteeRewards.nodes[0].reward).toMatch(/^-/);
  });
});
