import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/indexer/store/index.ts';
import { madeFacts, madeRegistry, savedAs } from '../indexer/store/made-facts.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const fields = 'id network position sourceValidatorIndex targetValidatorIndex amount expectedEpoch';

describe('pendingConsolidations of the sample data', () => {
  const gateway = useGateway();
  const list = async (args: string, selection = `nodes { ${fields} }`) => {
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(`{ pendingConsolidations${args} { ${selection} } }`);
    expect(errors).toBeUndefined();
    return data.pendingConsolidations;
  };

  it('answers the queue in order, page by page in both directions, with its validators and their operators', async () => {
    const all = (await list('(first: 200)')).nodes;
    expect(all.map((row: any) => row.position)).toEqual(all.map((_: any, at: number) => at));
    expect(new Set(all.map((row: any) => row.id)).size).toBe(all.length);
    const walked: any[] = [];
    for (let after: string | null = null; ; ) {
      const page = await list(
        `(first: 7, network: MAINNET${after ? `, after: "${after}"` : ''})`,
        `totalCount nodes { ${fields} } pageInfo { hasNextPage endCursor }`,
      );
      expect(page.totalCount).toBe(all.length);
      walked.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(walked).toEqual(all);
    expect((await list('(last: 3)')).nodes).toEqual(all.slice(-3));
    const linked = await list(
      '(first: 20)',
      'nodes { source { validatorIndex operators { operatorId idType } } target { validatorIndex } sourceValidatorIndex targetValidatorIndex }',
    );
    expect(gateway.statements).toEqual(['pendingConsolidationPages', 'validatorsByIndex', 'operatorsById']);
    for (const row of linked.nodes) {
      expect(row.source.validatorIndex).toBe(row.sourceValidatorIndex);
      expect(row.target.validatorIndex).toBe(row.targetValidatorIndex);
    }
  });

  it('finds the entries of one validator, by index or public key, on either side', async () => {
    const [first] = (await list('(first: 1)', `nodes { ${fields} target { validatorPubkey } }`)).nodes;
    const { target, ...row } = first;
    const found = await list(
      `(by: { index: ${row.sourceValidatorIndex} })`,
      `totalCount nodes { ${fields} }`,
    );
    expect(found).toEqual({ totalCount: 1, nodes: [row] });
    const mine = await list(`(by: { pubkey: "${target.validatorPubkey}" })`);
    expect(mine.nodes).toEqual([row]);
    expect(await list(`(by: { pubkey: "0x${'ab'.repeat(48)}" })`, 'totalCount nodes { id }')).toEqual({
      totalCount: 0,
      nodes: [],
    });
    expect((await list('(network: HOODI)')).nodes).toEqual([]);
  });

  it.each([
    ['first: 201', 'first'],
    ['after: "x"', 'after'],
    ['by: { index: -1 }', 'by'],
  ])('refuses %s', async (args, name) => {
    const { errors } = await gateway.graphql(`{ pendingConsolidations(${args}) { totalCount } }`);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    expect(errors?.[0].extensions.faults[0].loc.slice(0, 2)).toEqual(['argument', name]);
  });
});

slow(
  'pendingConsolidations are what an index wrote of the newest state; writing it again changes nothing',
  async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    const store = openStore(gateway.database.pool, 'mainnet');
    await store.resume();
    const EPOCH = 2_300;
    const made = madeRegistry({ size: 20, slashed: { 4: { epoch: EPOCH - 5, withdrawable: EPOCH + 90 } } });
    const withdrawable: Record<number, number> = { 1: EPOCH + 3, 2: EPOCH + 2, 3: EPOCH + 40 };
    const registry = {
      ...made,
      record: (index: number) => ({
        ...made.record(index),
        ...(withdrawable[index] && { withdrawableEpoch: withdrawable[index] }),
      }),
    };
    const queue = [1, 4, 2, 3].map((source) => ({ source, target: 10 + source }));
    const write = async (epoch: number, pendingConsolidations: typeof queue) => {
      const facts = madeFacts({ size: 20 }, epoch, EPOCH);
      const effectiveBalances = facts.effectiveBalances.map((balance, v) => (v === 3 ? 64e9 : balance));
      const balances = facts.balances.map((balance, v) => (v === 2 ? 31e9 : v === 3 ? 65e9 : balance));
      await store.write(
        { ...facts, balances, effectiveBalances, pendingConsolidations },
        savedAs('x'),
        registry,
      );
    };
    const rows = async () => {
      const { data } = await gateway.graphql(
        '{ pendingConsolidations { nodes { position sourceValidatorIndex targetValidatorIndex amount expectedEpoch } } }',
      );
      return data.pendingConsolidations.nodes.map((row: any) => Object.values(row));
    };
    const revision = async () =>
      (
        await gateway.database.pool.query({
          text: "select revision::int from datasets where name = 'consolidations'",
          values: [],
        })
      ).rows as unknown[];
    await write(EPOCH, queue);
    const first = await rows();
    expect(first.map(([, source, target, , expected]: any) => [source, target, expected])).toEqual([
      [1, 11, EPOCH + 2],
      [4, 14, null], // slashed: dropped on the way
      [2, 12, EPOCH + 2], // waits for validator 1
      [3, 13, EPOCH + 39],
    ]);
    expect(first.map(([, , , amount]: any) => amount).slice(1)).toEqual(['0', '31000000000', '64000000000']);
    const before = await revision();
    await write(EPOCH + 1, queue);
    expect(await rows()).toEqual(first);
    expect(await revision()).toEqual(before);
    await write(EPOCH + 2, queue.slice(3));
    expect(await rows()).toEqual([[0, 3, 13, '64000000000', EPOCH + 39]]);
  },
);
