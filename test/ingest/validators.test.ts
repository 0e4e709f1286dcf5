import { beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() => gateway.database.pool.query({ text: 'truncate validators', values: [] }));

const load = (content: string, options = {}) => importText(gateway, 'validators', content, options);
const validator = (validatorIndex: number, more = {}) => ({
  validatorIndex,
  validatorPubkey: `0x${validatorIndex.toString(16).padStart(96, 'a')}`,
  depositAddress: `0x${'b'.repeat(40)}`,
  withdrawalAddress: `0x${'c'.repeat(40)}`,
  nodeOperator: 'Operator',
  pool: 'Pool',
  activationEpoch: 10,
  exitEpoch: 20,
  slashed: false,
  ...more,
});
const stored = async (index: number, network = 'MAINNET') =>
  (
    await gateway.graphql(`{ validator(by: { index: ${index} }, network: ${network}) { validatorIndex validatorPubkey
      depositAddress withdrawalAddress nodeOperator pool activationEpoch exitEpoch slashed } }`)
  ).data.validator;

describe('an import of validators', () => {
  it('stores what came, in lower case, and changes nothing the second time', async () => {
    const row = validator(1, { depositAddress: `0x${'B'.repeat(40)}` });
    expect(await load(JSON.stringify([row]))).toMatchObject({ faults: [], inserted: 1, updated: 0 });
    expect(await stored(1)).toEqual(validator(1));
    expect(await load(JSON.stringify([row]))).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect(await stored(1)).toEqual(validator(1));
  });

  it('takes absent keys and epochs of the far future as null, and the network of a row before that of the file', async () => {
    const { validatorIndex, validatorPubkey, depositAddress } = validator(2);
    const bare = { validatorIndex, validatorPubkey, depositAddress, slashed: true, network: 'hoodi' };
    const epochs = '"activationEpoch":18446744073709551615,"exitEpoch":"18446744073709551615"';
    await load(JSON.stringify([bare]).replace('}', `,${epochs}}`));
    const nothing = { withdrawalAddress: null, nodeOperator: null, pool: null };
    expect(await stored(2, 'HOODI')).toEqual({
      ...validator(2),
      ...nothing,
      activationEpoch: null,
      exitEpoch: null,
      slashed: true,
    });
    expect(await stored(2)).toBeNull();
  });

  it('keeps names that are the number of the far future', async () => {
    const pool = '18446744073709551615';
    await load(JSON.stringify([validator(3, { pool })]));
    expect(await stored(3)).toEqual(validator(3, { pool }));
  });

  it('takes a validator whose deposit address nobody knows, which is of no deposit address', async () => {
    const { depositAddress: _, ...bare } = validator(7);
    const given = [bare, validator(8, { depositAddress: null }), validator(9)];
    expect(await load(JSON.stringify(given))).toMatchObject({ faults: [], inserted: 3 });
    expect(await stored(7)).toEqual({ ...bare, depositAddress: null });
    const { data } = await gateway.graphql(
      '{ validator(by: { index: 8 }) { depositAddress operators { idType } } }',
    );
    expect(data.validator).toEqual({
      depositAddress: null,
      operators: ['WITHDRAWAL_ADDRESS', 'NODE_OPERATOR', 'POOL'].map((idType) => ({ idType })),
    });
    const csv = `network,validatorIndex,validatorPubkey,depositAddress,slashed\nmainnet,9,${validator(9).validatorPubkey},,f\n`;
    expect(await load(csv, { format: 'csv' })).toMatchObject({ faults: [], updated: 1 });
    expect(await stored(9)).toMatchObject({ depositAddress: null, slashed: false });
  });

  it('adds to what is stored, and removes the others of its networks only with --replace', async () => {
    const lines = (...indices: number[]) =>
      indices.map((index) => JSON.stringify(validator(index))).join('\n');
    await load(lines(1, 2, 3));
    await load(JSON.stringify([validator(1, { network: 'hoodi' })]));
    expect(await load(lines(3, 4))).toMatchObject({ inserted: 1, updated: 0, removed: 0 });
    expect(await load(lines(3, 5), { replace: true })).toMatchObject({ inserted: 1, updated: 0, removed: 3 });
    expect(await stored(1)).toBeNull();
    expect(await stored(1, 'HOODI')).not.toBeNull();
  });

  it.each([
    [{ validatorIndex: -1 }, 'validatorIndex'],
    [{ validatorPubkey: '0x00' }, 'validatorPubkey'],
    [{ depositAddress: '0x1' }, 'depositAddress'],
    [{ withdrawalAddress: '0x1' }, 'withdrawalAddress'],
    [{ nodeOperator: '' }, 'nodeOperator'],
    [{ pool: 'a\0b' }, 'pool'],
    [{ activationEpoch: 1.5 }, 'activationEpoch'],
    [{ exitEpoch: 9 }, 'exitEpoch'],
    [{ activationEpoch: null }, 'exitEpoch'],
    [{ slashed: 'no' }, 'slashed'],
    [{ slashed: null }, 'slashed'],
    [{ network: 'goerli' }, 'network'],
  ])('refuses %j naming the field', async (more, field) => {
    const { faults, loaded } = await load(JSON.stringify([validator(1, more)]));
    expect(faults.map((fault) => fault.field)).toEqual([field]);
    expect(loaded).toBe(false);
  });

  it('analyzes rows that a VACUUM did not count because their load had not ended', async () => {
    const { pool } = gateway.database;
    const counted = async () => {
      const { rows } = await pool.query({
        text: `select reltuples::int as rows from pg_class where relname = 'validators' and relpages > 0`,
        values: [],
      });
      return rows[0]?.rows;
    };
    await transaction(pool, async (client) => {
      await client.query(
        `insert into validators (network, validator_index, validator_pubkey, slashed)
        select 'mainnet', i, lpad(to_hex(i), 96, '0'), false from generate_series(1, 3000) i`,
      );
      await pool.query({ text: 'vacuum validators', values: [] });
    });
    expect(await counted()).toBe(0);
    await load(JSON.stringify([validator(3001)]));
    expect(await counted()).toBe(3000);
  });

  it('refuses an index given twice and what is no row', async () => {
    const { faults } = await load(JSON.stringify([validator(1), validator(1), 5, null]));
    expect([...new Set(faults.map((fault) => fault.place))]).toEqual(['row 2', 'row 3', 'row 4']);
  });
});
