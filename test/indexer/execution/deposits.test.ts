import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockWriters } from '../../../src/db/changes/locks.ts';
import { transaction } from '../../../src/db/pool.ts';
import { hexOf, type MadeDeposit } from '../../support/execution-chain.ts';
import { type ExecutionNode, quantitiesAsNumbers, startExecutionNode } from '../../support/execution-node.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import type { Fault } from '../../support/source-server.ts';
import { filled, noForks, openMade, reasons, rowsOf } from './made.ts';

const CONTRACT = '0x00000000219ab540356cbb839cbe05303d7705fa';
let database: TestDatabase;
let node: ExecutionNode;
beforeEach(async () => {
  database = await createDatabase();
  node = await startExecutionNode({ contract: CONTRACT, finalized: 50_000 });
});
afterEach(async () => {
  await node.close();
  await database.drop();
});

const keyOf = (index: number) => hexOf(`key ${index}`, 48);
const ownerOf = (index: number) => hexOf(`owner ${index}`, 20);
const withdrawalOf = (index: number) => hexOf(`withdrawal ${index}`, 20);
const credentialsOf = (index: number, type = '01') =>
  `0x${type}${'00'.repeat(11)}${withdrawalOf(index).slice(2)}`;
const depositOf = (index: number, at: number, change: Partial<MadeDeposit> = {}): MadeDeposit => ({
  ...{ index, at, pubkey: keyOf(index), credentials: credentialsOf(index), from: ownerOf(index) },
  ...change,
});

async function storeValidators(indices: readonly number[], change: object = {}) {
  for (const index of indices) {
    const row: Record<string, unknown> = {
      network: 'hoodi',
      validator_index: index,
      validator_pubkey: keyOf(index),
      withdrawal_address: withdrawalOf(index),
      slashed: false,
      ...change,
    };
    const names = Object.keys(row);
    await database.pool.query({
      text: `insert into validators (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      values: Object.values(row),
    });
  }
}
const addresses = async () =>
  (await rowsOf(database, 'select deposit_address as address from validators order by validator_index')).map(
    ({ address }) => address,
  );
const fill = (more: object = {}) =>
  filled(database, {
    execution: node.url,
    spec: { ...noForks, depositContractAddress: CONTRACT, depositChainId: 560_048 },
    ...more,
  });
const logsAsked = () => node.asked.filter(({ method }) => method === 'eth_getLogs');

describe('the deposit address of a validator', () => {
  it('is the sender of the transaction with its first deposit', async () => {
    await storeValidators([0, 1]);
    node.deposits = [
      depositOf(0, 100),
      depositOf(1, 100),
      depositOf(2, 200, { pubkey: keyOf(0), credentials: credentialsOf(0), from: hexOf('somebody', 20) }),
    ];
    expect(await fill()).toEqual([]);
    expect(await addresses()).toEqual([ownerOf(0), ownerOf(1)]);
    expect(await rowsOf(database, 'select * from waiting_deposits')).toEqual([]);
  });

  it('is not that of a deposit whose credentials cannot have become its own', async () => {
    await storeValidators([0]);
    const other = credentialsOf(99);
    node.deposits = [
      depositOf(0, 100, { credentials: other, from: hexOf('somebody', 20) }),
      depositOf(1, 101, { pubkey: keyOf(0), credentials: credentialsOf(0, '02'), from: ownerOf(0) }),
    ];
    await fill();
    expect(await addresses()).toEqual([ownerOf(0)]);
  });

  it('may be that of a deposit with BLS credentials, which change once', async () => {
    await storeValidators([0]);
    node.deposits = [depositOf(0, 100, { credentials: `0x00${hexOf('hash', 31).slice(2)}` })];
    await fill();
    expect(await addresses()).toEqual([ownerOf(0)]);
  });

  it('stays where one is stored, whose transaction is not asked for', async () => {
    await storeValidators([0], { deposit_address: ownerOf(77) });
    node.deposits = [depositOf(0, 100)];
    await fill();
    expect(await addresses()).toEqual([ownerOf(77)]);
    expect(node.asked.map(({ method }) => method)).not.toContain('eth_getTransactionByHash');
  });

  it('is known as soon as the validator is, however long after the deposit', async () => {
    node.deposits = [depositOf(0, 100)];
    await fill();
    await storeValidators([0]);
    await fill();
    expect(await addresses()).toEqual([ownerOf(0)]);
    expect(await rowsOf(database, `select name, revision from datasets where name = 'validators'`)).toEqual([
      { name: 'validators', revision: 1 },
    ]);
  });

  it('is looked for once per epoch, without waiting for imports in between', async () => {
    const spec = { ...noForks, depositContractAddress: CONTRACT, depositChainId: 560_048 };
    const fills = openMade(database, { execution: node.url, spec });
    await rowsOf(database, `insert into index_state values ('hoodi', 5, 5, '', 1, now())`);
    node.deposits = [depositOf(0, 100)];
    await fills?.drain();
    await storeValidators([0]);
    await transaction(database.pool, async (client) => {
      await lockWriters(client, ['validators'], ['hoodi']);
      await fills?.drain();
    });
    expect(await addresses()).toEqual([null]);
    await rowsOf(database, 'update index_state set epoch = 6');
    await fills?.drain();
    expect(await addresses()).toEqual([ownerOf(0)]);
  });

  it('comes from finalized blocks only', async () => {
    await storeValidators([0, 1]);
    node.deposits = [depositOf(0, 100), depositOf(1, 60_000)];
    await fill();
    expect(await addresses()).toEqual([ownerOf(0), null]);
    node.finalized = 70_000;
    const before = logsAsked().length;
    await fill();
    expect(await addresses()).toEqual([ownerOf(0), ownerOf(1)]);
    expect(Number(logsAsked()[before]?.params[0].fromBlock)).toBe(50_001);
  });

  it('gives its validator the label of its rule', async () => {
    await storeValidators([0]);
    await rowsOf(
      database,
      `insert into index_labels (network, rank, deposit_address, node_operator) values ('hoodi', 1, $1, 'Somebody')`,
      [ownerOf(0)],
    );
    node.deposits = [depositOf(0, 100)];
    await fill();
    expect(await rowsOf(database, 'select node_operator from validators')).toEqual([
      { node_operator: 'Somebody' },
    ]);
  });
});

describe('the logs of the deposit contract', () => {
  const many = Array.from({ length: 60 }, (_, index) => depositOf(index, 1_000 + index * 7));

  it.each([
    ['blocks', { blocks: 900, results: Number.POSITIVE_INFINITY }],
    ['results', { blocks: Number.POSITIVE_INFINITY, results: 5 }],
    ['both', { blocks: 2_000, results: 2 }],
  ])('are read in ranges that the node allows: limits on %s', async (_, limits) => {
    await storeValidators(many.map(({ index }) => index));
    node.finalized = 5_000;
    node.deposits = many;
    node.logLimits = limits;
    expect(await fill()).toEqual([]);
    expect(await addresses()).toEqual(many.map(({ index }) => ownerOf(index)));
    expect(logsAsked().length).toBeLessThan(150);
  });

  it('that are incomplete give no address that may be wrong, and are read again from another node', async () => {
    await storeValidators([0, 1, 2]);
    node.finalized = 5_000;
    node.deposits = [
      depositOf(0, 1_000),
      depositOf(1, 1_100),
      depositOf(2, 3_000),
      depositOf(3, 3_001, { pubkey: keyOf(0), credentials: credentialsOf(0), from: hexOf('somebody', 20) }),
    ];
    node.logsFrom = 2_000;
    const errors = await fill();
    expect(reasons(errors)).toEqual(['missing']);
    expect(errors[0]?.message).toMatch(/deposit 0 is not in the logs .* needs? one that keeps all receipts/);
    expect(await addresses()).toEqual([null, null, null]);
    node.logsFrom = 0;
    expect(await fill()).toEqual([]);
    expect(await addresses()).toEqual([ownerOf(0), ownerOf(1), ownerOf(2)]);
  });

  const faults: [string, RegExp, Fault, string][] = [
    ['closes the connection', /Logs/, 'destroyed', 'unreachable'],
    ['responds with 503', /Logs/, 503, 'busy'],
    ['cuts off its response', /Logs/, 'cut', 'cut'],
    ['forgets a transaction', /Transaction/, 'null', 'missing'],
    ['tells another transaction', /Transaction/, (one) => ({ ...one, hash: hexOf('other', 32) }), 'mismatch'],
    ['tells no sender', /Transaction/, (one) => ({ ...one, from: null }), 'nonsense'],
  ];
  it.each(faults)('of a node that %s for a while are read afterwards', async (_, what, how, reason) => {
    await storeValidators([0]);
    node.deposits = [depositOf(0, 100)];
    node.break(what, how, 2);
    expect(reasons(await fill())).toEqual([reason]);
    expect(await addresses()).toEqual([ownerOf(0)]);
  });

  it('of a node that writes numbers, and null where there is none, are read alike', async () => {
    await storeValidators([0]);
    node.deposits = [depositOf(0, 25_000)];
    node.finalized = 40_000;
    node.break(/Logs/, quantitiesAsNumbers);
    expect(await fill()).toEqual([]);
    expect(await addresses()).toEqual([ownerOf(0)]);
  });

  const nonsense: [string, (logs: any[]) => unknown][] = [
    ['of another contract', (logs) => logs.map((log) => ({ ...log, address: ownerOf(1) }))],
    ['of other blocks', (logs) => logs.map((log) => ({ ...log, blockNumber: '0xfffff' }))],
    ['that were removed', (logs) => logs.map((log) => ({ ...log, removed: true }))],
    ['cut short', (logs) => logs.map((log) => ({ ...log, data: log.data.slice(0, 200) }))],
    ['with wrong lengths', (logs) => logs.map((log) => ({ ...log, data: `0x${'ff'.repeat(576)}` }))],
  ];
  it.each(nonsense)('%s are refused', async (_, how) => {
    await storeValidators([0]);
    node.finalized = 150;
    node.deposits = [depositOf(0, 100)];
    node.break(/Logs/, how);
    expect(reasons(await fill())).toEqual(['nonsense']);
    expect(await addresses()).toEqual([null]);
  });
});
