import { describe, expect, it } from 'vitest';
import { validatorFields } from '../../src/resources/validators/record.ts';
import { networks } from '../../src/sample/chain.ts';
import { useGateway } from '../support/gateway.ts';
import { sampleSlashings, sampleValidators } from '../support/sample.ts';

const gateway = useGateway();

const validators = [...sampleValidators()];
const onMainnet = validators.filter((row) => row.network === 'mainnet');
const fields = validatorFields.join(' ');
const plain = ({ network: _, ...row }: any) => row;

describe('GraphQL validator', () => {
  it.each(networks)(
    'finds one of %s by index, by public key in any case and by global id',
    async (network) => {
      const row = validators.find((known) => known.network === network) as (typeof validators)[number];
      const name = network.toUpperCase();
      const pubkey = row.validatorPubkey.toUpperCase().replace('0X', '0x');
      const { data } = await gateway.ask(`{
      byIndex: validator(by: { index: ${row.validatorIndex} }, network: ${name}) { id ${fields} }
      byKey: validator(by: { pubkey: "${pubkey}" }, network: ${name}) { id ${fields} }
    }`);
      const { id, ...found } = data.byIndex;
      expect(found).toEqual(plain(row));
      expect(data.byKey).toEqual(data.byIndex);
      const again = await gateway.ask(`{ node(id: "${id}") { ... on Validator { network ${fields} } } }`);
      expect(again.data.node).toEqual({ ...plain(row), network: name });
      const ofHeader = await gateway.ask(
        `{ validator(by: { index: ${row.validatorIndex} }) { network } }`,
        {},
        {
          'x-service-network': network,
        },
      );
      expect(ofHeader.data.validator.network).toBe(name);
    },
  );

  it('is null for what is not known', async () => {
    const { data } = await gateway.ask(`{
      index: validator(by: { index: 2147483647 }) { id }
      pubkey: validator(by: { pubkey: "0x${'0'.repeat(96)}" }) { id }
    }`);
    expect(data).toEqual({ index: null, pubkey: null });
  });

  it.each(['mainnet:', 'mainnet:01', 'mainnet:-1', 'mainnet:1:2', 'mainnet:2147483648', 'goerli:1'])(
    'has no node of the global id %s',
    async (inner) => {
      const id = Buffer.from(`Validator:${inner}`).toString('base64url');
      const { data } = await gateway.ask(`{ node(id: "${id}") { id } }`);
      expect(data.node).toBeNull();
    },
  );

  it.each(['index: -1', 'pubkey: ""', 'pubkey: "0x00"', `pubkey: "0x${'g'.repeat(96)}"`])(
    'refuses validator(by: { %s })',
    async (by) => {
      const { errors } = await gateway.graphql(`{ validator(by: { ${by} }) { id } }`);
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    },
  );

  it.each([
    ...['', 'by: { index: 1.5 }', 'by: { index: 2147483648 }', 'by: { pubkey: 1 }'],
    'network: GOERLI, by: { index: 1 }',
  ])('refuses the wrong type in validator(%s)', async (args) => {
    const { errors } = await gateway.graphql(`{ validator${args && `(${args})`} { id } }`);
    expect(errors).toHaveLength(1);
  });

  it('reads many in one statement for each way to name them', async () => {
    const names = onMainnet
      .slice(0, 8)
      .map((row, index) =>
        index % 2
          ? `v${index}: validator(by: { index: ${row.validatorIndex} }) { id }`
          : `v${index}: validator(by: { pubkey: "${row.validatorPubkey}" }) { id }`,
      );
    const { statements } = await gateway.ask(`{ ${names.join(' ')} }`);
    expect(statements.toSorted()).toEqual(['validatorsByIndex', 'validatorsByPubkey']);
  });
});

describe('the sample data', () => {
  it('has every slashed validator, with its public key and marked as slashed', () => {
    const known = new Map(validators.map((row) => [`${row.network}:${row.validatorIndex}`, row]));
    for (const { network, validatorIndex, validatorPubkey } of sampleSlashings()) {
      expect(known.get(`${network}:${validatorIndex}`)).toMatchObject({ validatorPubkey, slashed: true });
    }
    const slashed = validators.filter((row) => row.slashed).length;
    expect(slashed).toBe([...sampleSlashings()].length);
    expect(new Set(validators.map((row) => row.validatorPubkey)).size).toBe(validators.length);
  });

  it('has addresses, node operators and pools that are operators', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `select count(*)::int as strangers from operator_validators m
        where operator_id is not null and share_of is not null and id_type <> 'poolShare' and not exists (
          select from operator_summaries s where s.time_window = 'all'
            and (s.network, s.operator_id, s.id_type) = (m.network, m.operator_id, m.id_type))`,
      values: [],
    });
    expect(rows).toEqual([{ strangers: 0 }]);
  });
});

describe('Validator', () => {
  it('leads to its slashing and back', async () => {
    const slashed = onMainnet.find((row) => row.slashed);
    const { data, statements } = await gateway.ask(`{
      validator(by: { index: ${slashed?.validatorIndex} }) { slashing { validatorPubkey validator { ${fields} } } }
    }`);
    expect(data.validator.slashing.validatorPubkey).toBe(slashed?.validatorPubkey);
    expect(data.validator.slashing.validator).toEqual(plain(slashed));
    expect(statements).toEqual(['validatorsByIndex', 'slashingsByValidator']);
    const other = onMainnet.find((row) => !row.slashed);
    expect(
      (await gateway.ask(`{ validator(by: { index: ${other?.validatorIndex} }) { slashing { id } } }`)).data,
    ).toEqual({
      validator: { slashing: null },
    });
  });

  it('names the operators it belongs to, in their order and without those that it has not', async () => {
    const cases = [
      onMainnet.find((row) => row.pool && row.nodeOperator && row.withdrawalAddress),
      onMainnet.find((row) => !row.pool && !row.nodeOperator),
      onMainnet.find((row) => !row.withdrawalAddress),
    ];
    for (const row of cases) {
      const { data, statements } = await gateway.ask(
        `{ validator(by: { index: ${row?.validatorIndex} }) { operators { idType operatorId } } }`,
      );
      const expected = [
        ['DEPOSIT_ADDRESS', row?.depositAddress],
        ['WITHDRAWAL_ADDRESS', row?.withdrawalAddress],
        ['NODE_OPERATOR', row?.nodeOperator],
        ['POOL', row?.pool],
      ].filter(([, id]) => id);
      const found = data.validator.operators.map((operator: any) => [operator.idType, operator.operatorId]);
      expect(found).toEqual(expected);
      expect(statements).toEqual(['validatorsByIndex', 'operatorsById']);
    }
  });

  it('lists its sync committee rewards, newest first, every row once in both directions', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `select validator_index, count(*)::int as rows from sync_committee_rewards where network = 'mainnet'
        group by 1 order by 2 desc, 1 limit 1`,
      values: [],
    });
    const { validator_index: index, rows: total } = rows[0] as { validator_index: number; rows: number };
    expect(total).toBeGreaterThan(63); // it sits more than once
    const walk = async (args: (cursor: string | null) => string, step: 'next' | 'previous') => {
      const nodes: any[] = [];
      for (let cursor: string | null = null; ; ) {
        const { data } =
          await gateway.ask(`{ validator(by: { index: ${index} }) { syncCommitteeRewards(${args(cursor)}) {
          totalCount nodes { consensusSlot validatorIndex syncCommitteeRewards: reward }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`);
        const page = data.validator.syncCommitteeRewards;
        expect(page.totalCount).toBe(total);
        nodes[step === 'next' ? 'push' : 'unshift'](...page.nodes);
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
        if (!(step === 'next' ? hasNextPage : hasPreviousPage)) return nodes;
        cursor = step === 'next' ? endCursor : startCursor;
      }
    };
    const at = (name: string, cursor: string | null) => (cursor ? `, ${name}: "${cursor}"` : '');
    const forward = await walk((cursor) => `first: 17${at('after', cursor)}`, 'next');
    expect(forward).toHaveLength(total);
    const slots = forward.map((row) => row.consensusSlot);
    expect(slots).toEqual(slots.toSorted((a, b) => b - a));
    expect(await walk((cursor) => `last: 23${at('before', cursor)}`, 'previous')).toEqual(forward);
  });

  it.each(['first: 0', 'first: 201', 'first: 1, last: 1', 'after: "x"'])('refuses %s', async (args) => {
    const index = onMainnet[0]?.validatorIndex;
    const { errors } = await gateway.graphql(
      `{ validator(by: { index: ${index} }) { syncCommitteeRewards(${args}) { totalCount } } }`,
    );
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });
});
