import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();
const pool = 'Alder Liquid';
let authority: string;

/** Imports the list of one window again, with other names in it. */
async function importRenamed(kind: 'operators' | 'stake-authorities', path: string, names: object) {
  const { json } = await gateway.get(path);
  const data = json.data.map((row: object) => ({ ...row, ...names }));
  await importText(gateway, kind, JSON.stringify({ ...json, data }), { replace: false });
}

beforeAll(async () => {
  const authorities = '/v0/solana/delegators/stakeAuthorities?type=pool&window=30d&size=1';
  authority = (await gateway.get(authorities)).json.data[0].stakeAuthority;
  await importRenamed('operators', '/v0/eth/operators?window=30d&idType=pool&size=1', {
    displayName: 'Of a month',
    operatorTags: [{ name: 'Month', path: null, idType: 'label' }],
  });
  await importRenamed('stake-authorities', authorities, { poolName: 'Of a month' });
});

const FIELDS = 'displayName operatorTags { name }';
const where = 'where: { minValidators: 1 }';

describe('where the files of two windows have different names', () => {
  it('REST answers the names of the window that is asked for', async () => {
    const ofPool = async (window: string) => {
      const { json } = await gateway.get(`/v0/eth/operators?window=${window}&idType=pool&size=1`);
      return [json.data[0].id, json.data[0].displayName];
    };
    expect(await ofPool('30d')).toEqual([pool, 'Of a month']);
    expect(await ofPool('7d')).not.toEqual([pool, 'Of a month']);
  });

  it.each(['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL'])(
    'an operator has the name and tags of its shortest window in GraphQL, in the list of %s',
    async (window) => {
      const list = `window: ${window}, idType: POOL, first: 1`;
      const { data, errors } = await gateway.graphql(`{
        own: operator(operatorId: "${pool}") { ${FIELDS} }
        read: operator(operatorId: "${pool}", idType: POOL) { ${FIELDS} summary(window: ${window}) { id } }
        list: operators(${list}) { nodes { ${FIELDS} } }
        ordered: operators(${list}, ${where}) { nodes { ${FIELDS} } }
      }`);
      expect(errors).toBeUndefined();
      const { own, list: ranked, ordered } = data;
      const { summary: _, ...read } = data.read;
      expect(own.displayName).not.toBe('Of a month');
      expect([read, ranked.nodes[0], ordered.nodes[0]]).toEqual([own, own, own]);
    },
  );

  it.each(['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL'])(
    'a stake authority has the name of its shortest window in GraphQL, in the list of %s',
    async (window) => {
      const of = `stakeAuthority(stakeAuthority: "${authority}")`;
      const list = `window: ${window}, type: POOL, first: 1`;
      const { data, errors } = await gateway.graphql(`{
        own: ${of} { poolName }
        read: ${of} { poolName summary(window: ${window}) { id } }
        list: stakeAuthorities(${list}) { nodes { stakeAuthority poolName } }
        ordered: stakeAuthorities(${list}, ${where}) { nodes { stakeAuthority poolName } }
      }`);
      expect(errors).toBeUndefined();
      const { own, list: ranked, ordered } = data;
      const { summary: _, ...read } = data.read;
      expect(own.poolName).not.toBe('Of a month');
      const row = { stakeAuthority: authority, ...own };
      expect([read, ranked.nodes[0], ordered.nodes[0]]).toEqual([own, row, row]);
    },
  );
});

describe('of an operator without a summary in the shortest window', () => {
  const second = 'operators(window: THIRTY_DAYS, idType: POOL, first: 1, after: $after)';
  const read = async (after: string) => {
    const { data, errors } = await gateway.graphql(
      `query ($after: String) { ${second} { nodes { operatorId ${FIELDS} summary(window: THIRTY_DAYS) { id } } } }`,
      { after },
    );
    expect(errors).toBeUndefined();
    return data.operators.nodes[0];
  };
  /** Imports the lists of these windows without the pool. */
  const drop = async (id: string, windows: string[]) => {
    for (const window of windows) {
      const { json } = await gateway.get(`/v0/eth/operators?window=${window}&idType=pool&size=100`);
      const data = json.data.filter((row: { id: string }) => row.id !== id);
      expect(data.length).toBeGreaterThan(0);
      await importText(gateway, 'operators', JSON.stringify(data), { replace: true });
    }
  };
  let cursor: string;

  beforeAll(async () => {
    const { data } = await gateway.graphql(
      '{ operators(window: THIRTY_DAYS, idType: POOL, first: 1) { pageInfo { endCursor } } }',
    );
    cursor = data.operators.pageInfo.endCursor;
    const path = '/v0/eth/operators?window=7d&idType=pool&size=1&from=1';
    await importRenamed('operators', path, { displayName: 'Of a week' });
  });

  slow(
    'the name is that of the shortest that it has, and of its row in a list that is read on after it is gone',
    async () => {
      const { operatorId, displayName } = await read(cursor);
      expect(displayName).not.toBe('Of a week');
      await drop(operatorId, ['1d']);
      expect((await read(cursor)).displayName).toBe('Of a week');
      await drop(operatorId, ['7d', '30d', 'all']);
      const gone = await read(cursor);
      expect([gone.operatorId, gone.displayName]).toEqual([operatorId, displayName]);
      expect(gone.operatorTags).toEqual(expect.any(Array));
    },
  );
});
