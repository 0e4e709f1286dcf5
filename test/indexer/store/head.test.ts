import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../src/indexer/store/index.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { type Made, madeBlock, madeFacts, madeRegistry, pubkeyOf, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

const EPOCH = 2_300;
const FIRST = (EPOCH + 1) * 32;
const ETH = 1_000_000_000;
const made: Made = { size: 30 };

let gateway: Gateway;
let store: Store;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  store = openStore(gateway.database.pool, NETWORK);
  await store.resume();
  await store.write(madeFacts(made, EPOCH), savedAs('x'), madeRegistry(made));
});
afterAll(() => gateway.close());

const slot = (number: number, proposerIndex: number, root?: string) => ({
  slot: number,
  proposerIndex,
  block: root === undefined ? null : madeBlock(number, proposerIndex, { root: `0x${root.repeat(64)}` }),
  ...{ payload: null, bid: null },
});
const slashing = (validatorIndex: number, at: number) => ({
  ...{ validatorIndex, pubkey: pubkeyOf(validatorIndex), slot: at, withdrawableEpoch: EPOCH + 8_193 },
  ...{ balanceBeforeSlashing: 32 * ETH + 5, balance: 31 * ETH },
});
const blocks = async () => {
  const { data, errors } = await gateway.graphql(
    `{ blocks(network: HOODI, first: 5) { nodes { consensusSlot finalized consensusBlockRoot consensusRewards } } }`,
  );
  expect(errors).toBeUndefined();
  return data.blocks.nodes.map((row: any) => [
    ...[row.consensusSlot, row.finalized, row.consensusBlockRoot?.slice(0, 4) ?? null],
    row.finalized ? 'told' : row.consensusRewards,
  ]);
};
const slashings = async () => {
  const { data } = await gateway.graphql(
    '{ slashings(network: HOODI) { nodes { validatorIndex slashingPenalties } } }',
  );
  return data.slashings.nodes.map((row: any) => [row.validatorIndex, row.slashingPenalties]);
};

describe('rows near the head', () => {
  it('are there before they are final, without rewards, and say so', async () => {
    await store.writeHead({
      fromSlot: FIRST,
      blocks: [slot(FIRST, 3, 'a'), slot(FIRST + 1, 4), slot(FIRST + 2, 5, 'b')],
      slashings: [slashing(11, FIRST + 2)],
    });
    gateway.statements.length = 0;
    expect((await blocks()).slice(0, 4)).toEqual([
      [FIRST + 2, false, '0xbb', null],
      [FIRST + 1, false, null, '0'],
      [FIRST, false, '0xaa', null],
      [FIRST - 1, true, expect.any(String), 'told'],
    ]);
    expect(gateway.statements).toEqual(['blockPage']);
    expect(await slashings()).toEqual([[11, '1000000005']]);
  });

  it('are replaced when the chain reorganises, and those before stay', async () => {
    await store.writeHead({
      fromSlot: FIRST + 1,
      blocks: [slot(FIRST + 1, 4, 'c')],
      slashings: [],
    });
    expect((await blocks()).slice(0, 3)).toEqual([
      [FIRST + 1, false, '0xcc', null],
      [FIRST, false, '0xaa', null],
      [FIRST - 1, true, expect.any(String), 'told'],
    ]);
    expect(await slashings()).toEqual([]);
  });

  it('never replace final rows', async () => {
    const before = await query(gateway.database.pool, 'select * from blocks where finalized order by slot');
    await store.writeHead({
      fromSlot: FIRST - 2,
      blocks: [slot(FIRST - 2, 1, 'd'), slot(FIRST, 3, 'a')],
      slashings: [],
    });
    const after = await query(gateway.database.pool, 'select * from blocks where finalized order by slot');
    expect(after.rows).toEqual(before.rows);
  });

  it('change nothing when they are told again', async () => {
    const revision = async () =>
      (await query(gateway.database.pool, `select revision from datasets where name = 'blocks'`)).rows;
    const before = await revision();
    await store.writeHead({ fromSlot: FIRST, blocks: [slot(FIRST, 3, 'a')], slashings: [] });
    expect(await revision()).toEqual(before);
  });

  it('are replaced by the final rows of their epoch, which keep what an execution node told of the same block', async () => {
    const final = madeFacts(made, EPOCH + 1, EPOCH);
    const same = final.blocks.find(({ block }) => block);
    if (!same?.block) throw new Error('all blocks of the epoch are missed');
    const other = final.blocks.findLast(({ block }) => block);
    const block = madeBlock(other?.slot ?? 0, 1, { root: `0x${'e'.repeat(64)}` });
    const execution = { ...same.block.execution, blockHash: `0x${'f'.repeat(64)}` };
    const near = [same, { ...other, block: { ...block, execution } } as typeof same];
    await store.writeHead({
      fromSlot: FIRST,
      blocks: near,
      slashings: [],
    });
    await query(gateway.database.pool, 'update blocks set total_priority_fees = 5 where slot >= $1', [FIRST]);
    await store.write(final, savedAs('y'), madeRegistry(made));
    const { rows } = await query(
      gateway.database.pool,
      'select slot, total_priority_fees::text as fees, finalized, consensus_rewards::text as rewards from blocks where slot = any($1) order by slot',
      [[same.slot, other?.slot]],
    );
    expect(rows).toEqual([
      { slot: same.slot, fees: '5', finalized: true, rewards: String(same.consensusRewards) },
      { slot: other?.slot, fees: null, finalized: true, rewards: String(other?.consensusRewards) },
    ]);
  });
});

describe('a slashing', () => {
  const withdrawable = EPOCH + 4;
  const slashed: Made = {
    ...made,
    exits: { 5: EPOCH + 3 },
    slashed: { 5: { epoch: EPOCH + 2, withdrawable } },
  };
  const stored = async () =>
    (
      await query(
        gateway.database.pool,
        'select balance_before_slashing::text as before, balance_before_withdrawal::text as after, slashing_penalties::text as lost from slashings where validator_index = 5',
      )
    ).rows[0];

  it('has the newest balance until it is withdrawable, then that one with what was withdrawn in its first slot', async () => {
    const before = 32 * ETH + 77;
    const write = async (epoch: number, withdrawn = 0) => {
      const facts = madeFacts(slashed, epoch, EPOCH);
      const first = { ...facts.blocks[0] } as (typeof facts.blocks)[number];
      const made = madeBlock(epoch * 32, first.proposerIndex);
      const withdrawals = withdrawn ? [{ validatorIndex: 5, amount: withdrawn }] : [];
      const block = { ...made, execution: made.execution && { ...made.execution, withdrawals } };
      const blocks = [{ ...first, block }, ...facts.blocks.slice(1)];
      await store.write(
        { ...facts, blocks, changed: Uint32Array.of(5) },
        savedAs('z'),
        madeRegistry(slashed),
      );
      return facts.balances[5] as number;
    };
    for (const epoch of [EPOCH + 2, EPOCH + 3]) {
      const balance = await write(epoch, 1_000);
      expect(await stored()).toEqual({
        before: String(before),
        after: String(balance),
        lost: String(before - balance),
      });
    }
    const last = Number((await stored())?.after);
    await write(withdrawable, 17 * ETH);
    expect(await stored()).toMatchObject({ after: String(last + 17 * ETH) });
    await write(withdrawable, 17 * ETH);
    await write(withdrawable + 1, 3);
    expect(await stored()).toMatchObject({ after: String(last + 17 * ETH) });
  });

  it('keeps that balance when published figures are refreshed', async () => {
    const before = await stored();
    const { refreshSlashings } = await import('../../../src/refresh/slashings.ts');
    const { transaction } = await import('../../../src/db/pool.ts');
    await transaction(gateway.database.pool, (client) => refreshSlashings(client, NETWORK));
    expect(await stored()).toEqual(before);
  });
});
