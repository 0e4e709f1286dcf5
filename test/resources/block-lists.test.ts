import { beforeAll, describe, expect, it } from 'vitest';
import { SECONDS_PER_DAY, slotStart } from '../../src/chain/calendar.ts';
import { useGateway } from '../support/gateway.ts';
import { headEpoch } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();
const head = headEpoch.mainnet * 32 - 1;
const first = head - 2_047;
const classes = {
  DEPOSIT_ADDRESS: 'deposit_address',
  WITHDRAWAL_ADDRESS: 'withdrawal_address',
  NODE_OPERATOR: 'node_operator',
  POOL: 'pool',
} as const;

type Row = {
  slot: number;
  outcome: string;
  finalized: boolean;
  proposer: number;
  pubkey: string | null;
} & Record<'deposit_address' | 'withdrawal_address' | 'node_operator' | 'pool' | 'share', string | null>;

/** All slots, newest first, with the operators of their proposers. */
let all: Row[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select b.slot, b.consensus_proposer_duty as outcome, b.finalized, b.validator_index as proposer,
        v.validator_pubkey as pubkey, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool, s.operator_id as share
      from blocks b left join validators v using (network, validator_index)
      left join (select distinct operator_id, node_operator_id, pool_id from operator_summaries
        where network = 'mainnet' and id_type = 'poolShare' and not superseded) s
        on (s.node_operator_id, s.pool_id) = (v.node_operator, v.pool)
      where b.network = 'mainnet' order by b.slot desc`,
    values: [],
  });
  all = rows as Row[];
});

const walk = (args: string, size: number, direction?: 'forward' | 'backward') =>
  walkKeys(gateway, ['blocks', 'consensusSlot'], args, size, direction);
const slotsOf = (rows: readonly Row[]) => rows.map(({ slot }) => slot);
const ask = async (args: string, select: string) => {
  const { data, errors } = await gateway.graphql(`{ blocks(${args}) { ${select} } }`);
  expect(errors).toBeUndefined();
  return data.blocks;
};
/** The list in both directions and orders, and its total. */
async function expectRows(args: string, rows: readonly Row[], size = 13) {
  const slots = slotsOf(rows);
  expect((await ask(args, 'totalCount')).totalCount).toBe(slots.length);
  expect(await walk(args, size)).toEqual(slots);
  expect(await walk(args, size, 'backward')).toEqual(slots);
  const ascending = `${args} orderBy: { field: SLOT, direction: ASC }`;
  expect(await walk(ascending, size)).toEqual(slots.toReversed());
  expect(await walk(ascending, size, 'backward')).toEqual(slots.toReversed());
}
const mostOf = (values: readonly (string | number | null)[]) => {
  const counts = new Map<string | number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] as string;
};

describe('blocks between two slots or dates', () => {
  it('are those of the range, both ends included, in both directions and orders', async () => {
    const [low, high] = [first + 700, first + 760];
    const within = all.filter(({ slot }) => slot >= low && slot <= high);
    await expectRows(`fromSlot: ${low}, toSlot: ${high}`, within);
    await expectRows(`fromSlot: ${high}, toSlot: ${high}`, within.slice(0, 1));
    const newest = all.slice(0, 20);
    await expectRows(`fromSlot: ${newest.at(-1)?.slot}`, newest);
    const oldest = all.slice(-20);
    await expectRows(`toSlot: ${oldest[0]?.slot}`, oldest);
    await expectRows('fromSlot: 0, toSlot: 5', []);
    await expectRows('fromSlot: 2147483647', []);
  });

  slow(
    'are of a UTC date by the beginning of the slot, and within slots and dates given together',
    async () => {
      const dateOf = (slot: number) => new Date(slotStart('mainnet', slot) * 1000).toISOString().slice(0, 10);
      const dates = [...new Set(all.map(({ slot }) => dateOf(slot)))];
      for (const date of dates) {
        const rows = all.filter(({ slot }) => dateOf(slot) === date);
        await expectRows(`fromDate: "${date}", toDate: "${date}"`, rows, 200);
      }
      const date = dates[0] as string;
      const since = all.filter(({ slot }) => dateOf(slot) >= date && slot <= head - 10);
      await expectRows(`fromDate: "${date}", toSlot: ${head - 10}`, since, 200);
      await expectRows('toDate: "2020-11-30"', []);
      const later = new Date((slotStart('mainnet', head) + 2 * SECONDS_PER_DAY) * 1000).toISOString();
      await expectRows(`fromDate: "${later.slice(0, 10)}"`, []);
    },
  );

  it('begin at startAtSlot, which narrows neither the list nor its total', async () => {
    const select = 'totalCount nodes { consensusSlot } pageInfo { hasPreviousPage hasNextPage }';
    const range = `fromSlot: ${first + 100}, toSlot: ${first + 199}, first: 3`;
    const down = await ask(`${range}, startAtSlot: ${first + 150}`, select);
    expect(down).toEqual({
      totalCount: 100,
      nodes: [150, 149, 148].map((at) => ({ consensusSlot: first + at })),
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
    });
    const up = await ask(
      `${range}, startAtSlot: ${first + 150}, orderBy: { field: SLOT, direction: ASC }`,
      select,
    );
    expect(up).toEqual({
      totalCount: 100,
      nodes: [150, 151, 152].map((at) => ({ consensusSlot: first + at })),
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
    });
    const early = await ask(`${range}, startAtSlot: ${first + 500}`, select);
    expect(early.nodes[0]).toEqual({ consensusSlot: first + 199 });
    expect(early.pageInfo.hasPreviousPage).toBe(false);
  });

  it.each([
    ['fromSlot: -1', 'fromSlot is -1; an integer >= 0 is needed.'],
    ['toSlot: -1', 'toSlot is -1; an integer >= 0 is needed.'],
    ['startAtSlot: -1', 'startAtSlot is -1; an integer >= 0 is needed.'],
    ['fromSlot: 6, toSlot: 5', 'fromSlot is 6, after toSlot 5.'],
    ['fromDate: "2024-02-02", toDate: "2024-02-01"', 'fromDate is 2024-02-02, after toDate 2024-02-01.'],
    ['where: { proposer: { index: -1 } }', 'where.proposer.index is -1; an integer >= 0 is needed.'],
    ['where: { operator: { operatorId: "", idType: POOL } }', 'where.operator.operatorId is empty.'],
    [
      'where: { operator: { operatorId: "x", idType: ENTITY } }',
      'where.operator.idType is ENTITY; one of DEPOSIT_ADDRESS, WITHDRAWAL_ADDRESS, NODE_OPERATOR, POOL, POOL_SHARE is needed.',
    ],
    [
      'fromSlot: -1, first: 0',
      'fromSlot is -1; an integer >= 0 is needed. first is 0; an integer from 1 to 200 is needed.',
    ],
  ])('refuse %s', async (args, message) => {
    const { errors } = await gateway.graphql(`{ blocks(${args}) { totalCount } }`);
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });

  it('refuse a cursor of another range, filter or order', async () => {
    const cursor = (await ask('fromSlot: 5, first: 1', 'pageInfo { endCursor }')).pageInfo.endCursor;
    for (const args of [
      '',
      'fromSlot: 6,',
      'fromSlot: 5, toSlot: 900000000,',
      'fromSlot: 5, where: { outcome: MISSED },',
      'fromSlot: 5, orderBy: { field: SLOT, direction: ASC },',
    ]) {
      const { errors } = await gateway.graphql(
        `{ blocks(${args} first: 1, after: "${cursor}") { nodes { id } } }`,
      );
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    }
    await ask(`fromSlot: 5, startAtSlot: 7, first: 1, after: "${cursor}"`, 'nodes { id }');
  });
});

describe('blocks of a filter', () => {
  it.each(['PROPOSED', 'MISSED', 'ORPHANED'])('have the outcome %s', async (outcome) => {
    const rows = all.filter((row) => row.outcome === outcome.toLowerCase());
    expect(rows.length).toBeGreaterThan(0);
    await expectRows(`where: { outcome: ${outcome} }`, rows, outcome === 'PROPOSED' ? 200 : 3);
  });

  slow('are final or not', async () => {
    const of = (finalized: boolean) => all.filter((row) => row.finalized === finalized);
    await expectRows('where: { finalized: true }', of(true), 200);
    await expectRows('where: { finalized: false }', of(false));
    await expectRows('where: { finalized: null, outcome: null, operator: null, proposer: null }', all, 200);
  });

  it('are of one proposer, by index or public key in any case', async () => {
    const proposer = Number(mostOf(all.filter(({ pubkey }) => pubkey).map((row) => row.proposer)));
    const rows = all.filter((row) => row.proposer === proposer);
    expect(rows.length).toBeGreaterThan(2);
    await expectRows(`where: { proposer: { index: ${proposer} } }`, rows, 2);
    const key = rows[0]?.pubkey?.toUpperCase().replace('0X', '0x');
    await expectRows(
      `where: { proposer: { pubkey: "${key}" }, outcome: PROPOSED }`,
      rows.filter((row) => row.outcome === 'proposed'),
      2,
    );
    await expectRows(`where: { proposer: { pubkey: "0x${'0'.repeat(96)}" } }`, []);
    await expectRows('where: { proposer: { index: 2147483647 } }', []);
  });

  slow.each([...Object.entries(classes), ['POOL_SHARE', 'share'] as const])(
    'are of a %s',
    async (idType, column) => {
      const id = mostOf(all.map((row) => row[column]));
      const rows = all.filter((row) => row[column] === id);
      expect(rows.length).toBeGreaterThan(5);
      const operator = `operator: { operatorId: ${JSON.stringify(id)}, idType: ${idType} }`;
      await expectRows(`where: { ${operator} }`, rows, 37);
      for (const outcome of ['proposed', 'missed', 'orphaned'])
        await expectRows(
          `where: { ${operator}, outcome: ${outcome.toUpperCase()} }`,
          rows.filter((row) => row.outcome === outcome),
          37,
        );
      const middle = rows[Math.floor(rows.length / 2)] as Row;
      await expectRows(
        `where: { ${operator} }, toSlot: ${middle.slot}`,
        rows.filter(({ slot }) => slot <= middle.slot),
        37,
      );
      for (const finalized of [true, false])
        await expectRows(
          `where: { ${operator}, finalized: ${finalized} }`,
          rows.filter((row) => row.finalized === finalized),
          37,
        );
      await expectRows(
        `where: { ${operator}, proposer: { index: ${middle.proposer} } }`,
        rows.filter((row) => row.proposer === middle.proposer),
        2,
      );
      const other = all.find((row) => row[column] !== id)?.proposer;
      await expectRows(`where: { ${operator}, proposer: { index: ${other} } }`, []);
      await expectRows(`where: { operator: { operatorId: "none such", idType: ${idType} } }`, []);
    },
  );

  it('are read in one statement, two with totalCount, whatever the filter', async () => {
    const pool = JSON.stringify(mostOf(all.map((row) => row.pool)));
    for (const where of [
      'outcome: MISSED',
      `operator: { operatorId: ${pool}, idType: POOL }`,
      'proposer: { index: 3 }',
    ]) {
      gateway.statements.length = 0;
      await ask(`where: { ${where} }, first: 200`, 'nodes { consensusSlot relays }');
      expect(gateway.statements).toEqual(['blockPage']);
      gateway.statements.length = 0;
      await ask(`where: { ${where} }, first: 200`, 'totalCount nodes { consensusSlot }');
      expect(gateway.statements.toSorted()).toEqual(['blockCount', 'blockPage']);
    }
  });

  it('answer "a pool’s missed blocks of a day" in one document', async () => {
    const pool = mostOf(all.filter((row) => row.outcome === 'missed').map((row) => row.pool));
    const row = all.find((one) => one.pool === pool && one.outcome === 'missed') as Row;
    const date = new Date(slotStart('mainnet', row.slot) * 1000).toISOString().slice(0, 10);
    gateway.statements.length = 0;
    const { data, json } = await gateway.graphql(
      `query ($pool: String!, $date: Date!) {
        blocks(where: { operator: { operatorId: $pool, idType: POOL }, outcome: MISSED }, fromDate: $date, toDate: $date, first: 50) {
          totalCount nodes { consensusSlot missedConsensusRewards proposer { validatorIndex nodeOperator } }
        } }`,
      { pool, date },
    );
    expect(data.blocks.nodes.map((node: any) => node.consensusSlot)).toContain(row.slot);
    for (const node of data.blocks.nodes) expect(node.proposer.validatorIndex).toBeGreaterThanOrEqual(0);
    expect(gateway.statements.toSorted()).toEqual(['blockCount', 'blockPage', 'validatorsByIndex']);
    expect(json.extensions.cost.charged).toBe(5 + data.blocks.nodes.length);
  });
});
