import { beforeAll, describe, expect, it } from 'vitest';
import { slotStart } from '../../src/chain/calendar.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { headEpoch } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();
const head = headEpoch.mainnet * 32 - 1;

type Row = {
  slot: number;
  outcome: 'proposed' | 'missed' | 'orphaned';
  proposer: number;
  pool: string | null;
};
let all: Row[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select b.slot, b.consensus_proposer_duty as outcome, b.validator_index as proposer, v.pool
      from blocks b left join validators v using (network, validator_index) where b.network = 'mainnet'`,
    values: [],
  });
  all = rows as Row[];
});
const counted = (rows: readonly Row[]) => {
  const of = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  return { proposed: of('proposed'), missed: of('missed'), orphaned: of('orphaned') };
};

describe('Operator.proposalCounts', () => {
  const counts = (args = '') => `proposalCounts${args} { proposed missed orphaned }`;

  it('counts the outcomes of each operator’s slots in a range, in one statement for all operators', async () => {
    const date = new Date(slotStart('mainnet', head) * 1000).toISOString().slice(0, 10);
    const midnight = Date.parse(date) / 1000;
    for (const [args, within] of [
      ['', () => true],
      [
        `(fromSlot: ${head - 900}, toSlot: ${head - 100})`,
        ({ slot }: Row) => slot >= head - 900 && slot <= head - 100,
      ],
      [
        `(fromDate: "${date}", toDate: "${date}")`,
        ({ slot }: Row) =>
          slotStart('mainnet', slot) >= midnight && slotStart('mainnet', slot) < midnight + 86_400,
      ],
      ['(toDate: "2020-11-30")', () => false],
    ] as const) {
      gateway.statements.length = 0;
      const { data, errors } = await gateway.graphql(
        `{ operators(window: ALL, idType: POOL, first: 20) { nodes { operatorId ${counts(args)} } } }`,
      );
      expect(errors).toBeUndefined();
      expect(gateway.statements).toHaveLength(2);
      expect(gateway.statements).toContain('operatorProposalCounts');
      for (const { operatorId, proposalCounts } of data.operators.nodes)
        expect(proposalCounts).toEqual(counted(all.filter((row) => row.pool === operatorId && within(row))));
    }
  });

  it('equals the totals of the lists', async () => {
    const pool = all.find((row) => row.outcome === 'missed' && row.pool)?.pool as string;
    const list = (outcome: string) =>
      `${outcome}: blocks(where: { operator: { operatorId: $pool, idType: POOL }, outcome: ${outcome.toUpperCase()} }) { totalCount }`;
    const { data } = await gateway.graphql(
      `query ($pool: String!) { operator(operatorId: $pool, idType: POOL) { ${counts()} }
        ${list('proposed')} ${list('missed')} ${list('orphaned')} }`,
      { pool },
    );
    expect(data.operator.proposalCounts.missed).toBeGreaterThan(0);
    for (const outcome of ['proposed', 'missed', 'orphaned'])
      expect(data.operator.proposalCounts[outcome]).toBe(data[outcome].totalCount);
  });

  it('counts the slots of a single validator, and is null for a class without validators', async () => {
    for (const idType of ['VALIDATOR', 'ENTITY', 'DEPOSIT_ADDRESS', 'POOL_SHARE']) {
      const { data, errors } = await gateway.graphql(
        `{ operators(window: ALL, idType: ${idType}, first: 50) { nodes { operatorId ${counts()} } } }`,
      );
      expect(errors).toBeUndefined();
      for (const { operatorId, proposalCounts } of data.operators.nodes) {
        if (idType === 'ENTITY') expect(proposalCounts).toBeNull();
        else expect(proposalCounts).not.toBeNull();
        if (idType === 'VALIDATOR')
          expect(proposalCounts).toEqual(counted(all.filter((row) => row.proposer === Number(operatorId))));
      }
    }
  });

  it.each([
    ['fromSlot: -1', 'fromSlot is -1; an integer >= 0 is needed.'],
    ['fromSlot: 2, toSlot: 1', 'fromSlot is 2, after toSlot 1.'],
    ['fromDate: "2024-01-02", toDate: "2024-01-01"', 'fromDate is 2024-01-02, after toDate 2024-01-01.'],
  ])('refuses %s', async (args, message) => {
    const { errors } = await gateway.graphql(
      `{ operators(window: ALL, idType: POOL, first: 1) { nodes { ${counts(`(${args})`)} } } }`,
    );
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });
});

describe('the operators of stored slots', () => {
  const block = (consensusSlot: number, validatorIndex: number, more = {}) => ({
    consensusSlot,
    validatorIndex,
    consensusProposerDuty: 'proposed',
    consensusBlockRoot: `0x${'a'.repeat(64)}`,
    ...more,
  });
  const validator = (validatorIndex: number, more = {}) => ({
    validatorIndex,
    validatorPubkey: `0x${String(validatorIndex).padStart(96, '0')}`,
    depositAddress: `0x${'1'.repeat(40)}`,
    slashed: false,
    ...more,
  });

  slow('follow every change of blocks and validators, in whatever order they come', async () => {
    const empty = await gatewayForTest({ template: 'empty' });
    const load = (resource: 'blocks' | 'validators', ...rows: object[]) =>
      importText(empty, resource, rows.map((row) => JSON.stringify(row)).join('\n'));
    const run = (text: string) => empty.database.pool.query({ text, values: [] });
    const slots = async (pool: string, where = '') => {
      const { data } = await empty.graphql(
        `{ blocks(where: { operator: { operatorId: "${pool}", idType: POOL } ${where} }) { totalCount nodes { consensusSlot } } }`,
      );
      const found = data.blocks.nodes.map((node: any) => node.consensusSlot);
      expect(data.blocks.totalCount).toBe(found.length);
      const { rows } = await run(`select count(*)::int as strays from (
        select network, slot, consensus_proposer_duty, deposit_address, withdrawal_address, node_operator, pool
        from block_operators
        except select b.network, b.slot, b.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
        from blocks b join validators v using (network, validator_index)) strays`);
      expect(rows[0]?.strays).toBe(0);
      return found;
    };
    await load('blocks', block(1, 7), block(2, 8), block(3, 7));
    expect(await slots('a')).toEqual([]);
    await load('validators', validator(7, { pool: 'a' }), validator(8, { pool: 'b' }));
    expect([await slots('a'), await slots('b')]).toEqual([[3, 1], [2]]);
    await load('blocks', block(4, 8), block(5, 7));
    expect([await slots('a'), await slots('b')]).toEqual([
      [5, 3, 1],
      [4, 2],
    ]);
    await load('validators', validator(7, { pool: 'b' }));
    expect([await slots('a'), await slots('b')]).toEqual([[], [5, 4, 3, 2, 1]]);
    await load(
      'blocks',
      block(5, 7, { consensusProposerDuty: 'missed', consensusBlockRoot: null }),
      block(3, 9),
    );
    expect([await slots('b'), await slots('b', 'outcome: MISSED')]).toEqual([[5, 4, 2, 1], [5]]);
    await run(`update blocks set validator_index = 8, finalized = false where slot = 1`);
    await run(`delete from blocks where slot = 2`);
    await run(`delete from validators where validator_index = 7`);
    expect(await slots('b')).toEqual([4, 1]);
    await load('validators', validator(7, { pool: 'a' }), validator(9, { pool: 'a' }));
    expect(await slots('a')).toEqual([5, 3]);
    await run('truncate validators');
    expect(await slots('a')).toEqual([]);
    await load('validators', validator(7, { pool: 'a' }));
    expect(await slots('a')).toEqual([5]);
    await run('truncate blocks');
    expect(await slots('a')).toEqual([]);
  });
});
