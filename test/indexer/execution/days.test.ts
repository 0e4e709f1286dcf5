import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dateOfDay, dayOfEpoch, epochsOfDay } from '../../../src/chain/calendar.ts';
import { transaction } from '../../../src/db/pool.ts';
import { applyBlockFees } from '../../../src/indexer/store/day-fees.ts';
import { addFeesOfMonth } from '../../../src/indexer/store/restored-fees.ts';
import { refreshed } from '../../refresh/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { hexOf, type MadeBlock, madeBlock, tipsIn, transfer } from '../../support/execution-chain.ts';
import { type ExecutionNode, startExecutionNode } from '../../support/execution-node.ts';
import { type Gateway, gatewayForTest } from '../../support/gateway.ts';
import { runs, slow } from '../../support/thorough.ts';
import { waitingLocks } from '../store/rows.ts';
import { filled, reasons, rowsOf, storeBlocks, storedBlock } from './made.ts';

const DAY = 11;
const FIRST = DAY * 225 * 32;
let gateway: Gateway;
let node: ExecutionNode;
beforeEach(async () => {
  gateway = await gatewayForTest({ template: 'empty' });
  node = await startExecutionNode({});
});
afterEach(() => node.close());

const gwei = (wei: bigint) => String(wei / 1_000_000_000n);
const query = (text: string, values: unknown[] = []) => rowsOf(gateway.database, text, values);

/** Stores days of validators in both calendars, as the index does: without fees. */
async function storeDays(validators: readonly number[], slot = FIRST) {
  for (const utc of [false, true]) {
    const day = dayOfEpoch('hoodi', utc ? 'utc' : 'chain', Math.floor(slot / 32));
    const { first, last } = epochsOfDay('hoodi', utc ? 'utc' : 'chain', day);
    const date = new Date(Date.UTC(2025, 2, 17 + day)).toISOString().slice(0, 10);
    await query('select validator_day_parts($1::date[])', [[date]]);
    await query(
      `insert into validator_day_dates (network, utc, day, date, attestations_due, rewards_due)
        values ('hoodi', $1, $2, $3, false, false)`,
      [utc, day, date],
    );
    const zeros = [
      'total_unique_attestations',
      'sum_correct_head',
      'sum_correct_target',
      'sum_correct_source',
    ];
    const more = [
      ...[
        'sum_missed_attestations',
        'sum_wrong_head_votes',
        'sum_wrong_target_votes',
        'sum_late_target_votes',
      ],
      ...['sum_late_source_votes', 'proposed_count', 'missed_proposal_count', 'end_epoch_balance'],
      ...['end_epoch_effective_balance', 'sum_attestation_rewards', 'sum_sync_committee_rewards'],
      ...['sum_proposer_rewards', 'sum_priority_fees', 'sum_baseline_mev', 'sum_inclusion_delay'],
    ];
    const columns = [...zeros, ...more];
    for (const validator of validators)
      await query(
        `insert into validator_days (network, utc, validator_index, day, date, start_epoch, end_epoch, ${columns.join(', ')})
          values ('hoodi', $1, $2, $3, $4, $5, $6, ${columns.map((name) => (name.startsWith('sum_missed') ? 225 : 0)).join(', ')})`,
        [utc, validator, day, date, first, last],
      );
  }
}
const fees = () =>
  query(
    `select utc, validator_index as v, sum_priority_fees as fees, sum_baseline_mev as mev from validator_days order by utc, v`,
  );
const fill = (more: object = {}) => filled(gateway.database, { execution: node.url, ...more });

describe('days of validators', () => {
  it('have the fees of the blocks that they proposed, in both calendars, in whole Gwei', async () => {
    const blocks = [madeBlock(FIRST + 40), madeBlock(FIRST + 900), madeBlock(FIRST + 901)];
    node.blocks = blocks;
    await storeDays([7, 8]);
    await storeBlocks(
      gateway.database,
      blocks.map((block, n) => ({ ...block, proposer: n < 2 ? 7 : 8 })),
    );
    await fill();
    const [two, one] = [gwei(2n * tipsIn(blocks[0] as MadeBlock)), gwei(tipsIn(blocks[0] as MadeBlock))];
    expect(await fees()).toEqual([
      { utc: false, v: 7, fees: two, mev: '0' },
      { utc: false, v: 8, fees: one, mev: '0' },
      { utc: true, v: 7, fees: two, mev: '0' },
      { utc: true, v: 8, fees: one, mev: '0' },
    ]);
  });

  slow('have 0 until all their blocks are known', async () => {
    const blocks = [madeBlock(FIRST + 40), madeBlock(FIRST + 900)];
    await storeDays([7]);
    await storeBlocks(gateway.database, blocks);
    node.blocks = blocks.slice(1);
    expect(reasons(await fill())).toEqual(['missing']);
    expect(await fees()).toMatchObject([{ fees: '0' }, { fees: '0' }]);
    node.blocks = blocks;
    await fill();
    expect((await fees())[0]).toMatchObject({ fees: gwei(2n * tipsIn(blocks[0] as MadeBlock)) });
  });

  it('that are written again get their fees back', async () => {
    node.blocks = [madeBlock(FIRST + 40)];
    await storeDays([7]);
    await storeBlocks(gateway.database, node.blocks);
    await fill();
    const before = await fees();
    await query('update validator_days set sum_priority_fees = 0');
    const apply = () =>
      transaction(gateway.database.pool, (client) =>
        applyBlockFees(client, 'hoodi', { firstSlot: FIRST, lastSlot: FIRST + 7_199 }),
      );
    expect(await apply()).toHaveLength(2);
    expect(await fees()).toEqual(before);
    expect(await apply()).toEqual([]);
  });

  it('that are archived are named, and get the fees when their month is moved back', async () => {
    node.blocks = [madeBlock(FIRST + 40)];
    await storeDays([7]);
    await storeBlocks(gateway.database, node.blocks);
    const month = dateOfDay('hoodi', DAY).slice(0, 7);
    const move = (from: string, to: string) =>
      query(
        `with moved as (delete from ${from} returning network, utc, day, date)
        insert into ${to} (network, utc, day, date) select network, utc, day, date from moved`,
      );
    await query('create table archived as select * from validator_days');
    await query('delete from validator_days');
    await move('validator_day_dates', 'archived_day_dates');
    const told: string[] = [];
    await fill({ onArchived: (of: string) => told.push(of) });
    expect(told).toEqual([month]);
    await query('insert into validator_days select * from archived');
    await move('archived_day_dates', 'validator_day_dates');
    const add = () => transaction(gateway.database.pool, (client) => addFeesOfMonth(client, 'hoodi', month));
    expect(await add()).toBe(2);
    expect((await fees()).map((day) => day.fees)).toEqual(
      Array(2).fill(gwei(tipsIn(node.blocks[0] as MadeBlock))),
    );
    expect(await add()).toBe(0);
  });

  it('that changed are due for operators and the daily rewards, and raise the revision', async () => {
    node.blocks = [madeBlock(FIRST + 40)];
    await storeDays([7]);
    await storeBlocks(gateway.database, node.blocks);
    await fill();
    expect(
      await query(
        'select utc, attestations_due as a, rewards_due as r from validator_day_dates order by utc',
      ),
    ).toEqual([
      { utc: false, a: true, r: true },
      { utc: true, a: true, r: false },
    ]);
    expect(await query('select name from datasets where revision = 1 order by name')).toEqual([
      { name: 'blocks' },
      { name: 'validator-days' },
    ]);
  });

  slow('are those of operators, too, also if the fees come after a refresh', async () => {
    const blocks = [madeBlock(FIRST + 40), madeBlock(FIRST + 900)];
    node.blocks = blocks.slice(0, 1);
    await storeDays([7, 8]);
    await query('update validator_day_dates set attestations_due = true');
    await query(
      `insert into validators (network, validator_index, validator_pubkey, deposit_address, pool, activation_epoch, slashed)
        select 'hoodi', v, '0x' || lpad(v::text, 96, '0'), '0x' || lpad('1', 40, '0'), 'P', 0, false
        from unnest(array[7, 8]) v`,
    );
    await storeBlocks(
      gateway.database,
      blocks.map((block, n) => ({ ...block, proposer: 7 + n })),
    );
    const refresh = () => refreshed(gateway, { only: ['attestations'], networks: ['hoodi'] });
    const ofPool = () =>
      query(
        `select utc, sum_priority_fees as fees from attestation_days join attestation_entities using (entity_key)
        where id_type = 'pool' and entity_id = 'P' order by utc`,
      );
    const ofValidators = () =>
      query(
        'select utc, sum(sum_priority_fees)::bigint as fees from validator_days group by utc order by utc',
      );
    await fill();
    await refresh();
    expect((await ofPool())[0]?.fees).toBe(gwei(tipsIn(blocks[0] as MadeBlock)));
    node.blocks = blocks;
    await fill();
    await refresh();
    expect((await ofPool())[0]?.fees).toBe(gwei(2n * tipsIn(blocks[0] as MadeBlock)));
    expect(await ofPool()).toEqual(await ofValidators());
  });

  it('are due also if a refresh that has read the day before the fill ends after it', async () => {
    node.blocks = [madeBlock(FIRST + 40)];
    await storeDays([7]);
    await storeBlocks(gateway.database, node.blocks);
    await query('update validator_day_dates set attestations_due = true');
    const { pool } = gateway.database;
    const filling = await transaction(pool, async (refresh) => {
      await refresh.query('update validator_day_dates set attestations_due = false');
      const filling = fill();
      await eventually(async () => expect(await waitingLocks(pool)).toBe(1), 20_000);
      return { filling };
    });
    await filling.filling;
    const due = await query('select attestations_due as due from validator_day_dates');
    expect(due).toEqual([{ due: true }, { due: true }]);
  });

  it('stay computed if a fill does not change them, as that of a block after their last epoch', async () => {
    node.blocks = [madeBlock(FIRST + 40), madeBlock(FIRST + 6_400)];
    await storeDays([7]);
    await query('update validator_days set end_epoch = start_epoch + 150 where not utc');
    await query('update validator_days set end_epoch = start_epoch + 50 where utc');
    await storeBlocks(gateway.database, node.blocks.slice(1));
    await fill();
    const due = `select 1 from validator_day_dates where attestations_due`;
    expect(await query(due)).toEqual([]);
    await storeBlocks(gateway.database, node.blocks.slice(0, 1));
    await fill();
    expect(await query(due)).not.toEqual([]);
  });

  it('are those of private sets, too', async () => {
    node.blocks = [madeBlock(FIRST + 40)];
    await storeDays([7]);
    await storeBlocks(gateway.database, node.blocks);
    await query(
      `with s as (insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
          select account_id, 'hoodi', 'mine', 'test', now(), now() from accounts limit 1 returning set_id)
        insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
        select set_id, 7, $1, now(), '2020-01-01' from s`,
      [hexOf('key', 48)],
    );
    await fill();
    const expected = gwei(tipsIn(node.blocks[0] as MadeBlock));
    expect(await query('select utc, sum_priority_fees as fees from private_set_days order by utc')).toEqual([
      { utc: false, fees: expected },
      { utc: true, fees: expected },
    ]);
  });

  slow(
    'add up to what their blocks have, whoever proposed them, in whatever order they are filled in',
    async () => {
      const validators = [7, 8, 9];
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(
            fc.record({
              slot: fc.integer({ min: FIRST, max: FIRST + 3_000 }),
              proposer: fc.constantFrom(...validators),
              tips: fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { maxLength: 4 }),
              pays: fc.option(fc.bigInt({ min: 1n, max: 10n ** 19n }), { nil: undefined }),
              late: fc.boolean(),
            }),
            { selector: ({ slot }) => slot, minLength: 1, maxLength: 12 },
          ),
          async (made) => {
            await query('truncate blocks, validator_days, validator_day_dates');
            await storeDays(validators);
            const builder = hexOf('builder', 20);
            const blocks = made.map(({ slot, proposer, tips, pays, late }) => ({
              ...{ proposer, late, pays },
              ...madeBlock(slot, {
                feeRecipient: builder,
                transactions: [
                  ...tips.map((tip) => transfer({ tip })),
                  ...(pays ? [transfer({ from: builder, tip: 0n, value: pays })] : []),
                ],
              }),
            }));
            await storeBlocks(gateway.database, blocks);
            node.blocks = blocks.filter(({ late }) => !late);
            await fill();
            node.blocks = blocks;
            await fill();
            for (const { utc, v, fees: sum, mev } of await fees()) {
              const own = blocks.filter(({ proposer }) => proposer === v);
              const received = own.map((block) => block.pays ?? tipsIn(block));
              const rewards = received.reduce((all, one) => all + one, 0n);
              const most = own.reduce((all, block) => all + tipsIn(block), 0n);
              expect(BigInt(sum) <= most / 1_000_000_000n, `${utc}`).toBe(true);
              const total = BigInt(sum) + BigInt(mev);
              expect(rewards / 1_000_000_000n - total).toBeLessThanOrEqual(1n);
              expect(total).toBeLessThanOrEqual(rewards / 1_000_000_000n);
            }
          },
        ),
        { ...runs(6), endOnFailure: true },
      );
    },
  );
});

describe('missed blocks', () => {
  it('have no estimate unless asked for', async () => {
    node.blocks = [madeBlock(FIRST)];
    await storeBlocks(gateway.database, node.blocks, [FIRST + 1]);
    await fill();
    expect(await storedBlock(gateway.database, FIRST + 1)).toMatchObject({ missed_execution_rewards: null });
  });

  it('with --estimate-missed would have earned the mean of the blocks of their epoch, rounded down', async () => {
    const blocks = [0, 1, 2].map((n) => ({
      ...madeBlock(FIRST + n, {
        transactions: [transfer({ gasUsed: 1n, tip: BigInt(n + 1) * 1_000_000_003n })],
      }),
      consensus: 100 + n * n,
    }));
    node.blocks = blocks;
    await storeBlocks(
      gateway.database,
      [...blocks, madeBlock(FIRST + 32)],
      [FIRST + 9, FIRST + 31, FIRST + 64],
    );
    await fill({ estimateMissed: true });
    const estimated = {
      missed_consensus_rewards: '101',
      missed_execution_rewards: '2.000000006',
      total_rewards_missed: '103.000000006',
    };
    expect(await storedBlock(gateway.database, FIRST + 9)).toMatchObject(estimated);
    expect(await storedBlock(gateway.database, FIRST + 31)).toMatchObject(estimated);
    expect(await storedBlock(gateway.database, FIRST + 64)).toMatchObject({ missed_consensus_rewards: null });
  });

  it('have an estimate of execution rewards once all blocks of their epoch are known', async () => {
    const blocks = [madeBlock(FIRST), madeBlock(FIRST + 1)];
    node.blocks = blocks.slice(0, 1);
    await storeBlocks(gateway.database, blocks, [FIRST + 2]);
    await fill({ estimateMissed: true });
    expect(await storedBlock(gateway.database, FIRST + 2)).toMatchObject({
      missed_consensus_rewards: '41947807',
      missed_execution_rewards: null,
      total_rewards_missed: null,
    });
  });
});

describe('both APIs', () => {
  it('tell relays and builders as empty until they are known', async () => {
    await storeBlocks(gateway.database, [madeBlock(FIRST)]);
    const headers = { 'X-Service-Network': 'hoodi' };
    const { json } = await gateway.get(`/v0/eth/blocks/${FIRST}`, headers);
    expect(json).toMatchObject({ relays: [], blockBuilderPubkeys: [], executionRewards: null });
    const { data } = await gateway.graphql(
      `{ block(slot: ${FIRST}, network: HOODI) { relays blockBuilderPubkeys } }`,
    );
    expect(data.block).toEqual({ relays: [], blockBuilderPubkeys: [] });
  });
});
