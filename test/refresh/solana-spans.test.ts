import fc from 'fast-check';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { sumDueSpan } from '../../src/refresh/solana-spans.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import { load, published, refreshed } from './facts.ts';
import { authorityEpoch, clearSolana, epochRow, keyOf, validatorEpoch } from './solana-epochs.ts';

const gateway = useGateway({ template: 'empty' });
const query = <T = Record<string, unknown>>(text: string) => rowsOf<T>(gateway.database.pool, text);
const clear = () => query(clearSolana);
beforeEach(clear);

const only = { only: ['solana'] as const };
const authorities = async () => (await published(gateway)).authorities;
const spans = () =>
  query<{ first: number; due: boolean; epochs: number[] | null }>(
    'select first_epoch as first, due, epochs from solana_epoch_spans order by 1',
  );
const due = async () => (await spans()).map((span) => span.due);

/** Whole epochs: each authority has stake with each validator. */
async function loadEpochs(epochs: readonly number[], change: object = {}) {
  await load(gateway, 'solana-epochs', epochs.map(epochRow));
  await load(
    gateway,
    'solana-validator-epochs',
    epochs.flatMap((epoch) => [0, 1].map((vote) => validatorEpoch(epoch, vote))),
  );
  await load(
    gateway,
    'solana-stake-authority-epochs',
    epochs.flatMap((epoch) =>
      [10, 11].map((authority) => authorityEpoch(epoch, authority, authority - 10, change)),
    ),
  );
}
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, epoch) => epoch);

const EPOCHS = 50;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('rows' as const),
      epochs: fc.uniqueArray(fc.nat(EPOCHS - 1), { minLength: 1, maxLength: 20 }),
      authority: fc.integer({ min: 10, max: 13 }),
      vote: fc.nat(2),
      stake: fc.bigInt({ min: 0n, max: 10n ** 15n }),
      pool: fc.constantFrom('P', 'Q', null),
      told: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('validator' as const),
      epoch: fc.nat(EPOCHS - 1),
      effectiveness: fc.constantFrom('0', '0.25', '0.987654321'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removed' as const), epoch: fc.nat(EPOCHS - 1) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'refresh' as const }) },
);

describe('sums by span of epochs', () => {
  slow(
    'give the figures of all rows, digit for digit, whatever is imported, corrected and removed in between',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
          await clear();
          for (const one of steps) {
            if (one.kind === 'rows') {
              const { epochs, authority, vote, stake, pool } = one;
              if (one.told) await load(gateway, 'solana-epochs', epochs.map(epochRow));
              await load(
                gateway,
                'solana-validator-epochs',
                epochs.map((epoch) => validatorEpoch(epoch, vote)),
              );
              const delegatedStake = `${stake / 10n ** 9n}.${String(stake % 10n ** 9n).padStart(9, '0')}`;
              const row = { delegatedStake, stakingRewards: `${stake / 10n ** 12n}.5`, poolName: pool };
              const rows = epochs.map((epoch) => authorityEpoch(epoch, authority, vote, row));
              const paying = stake > 10n ** 13n ? rows : rows.map((one) => ({ ...one, stakingRewards: '0' }));
              await load(gateway, 'solana-stake-authority-epochs', paying);
            } else if (one.kind === 'validator') {
              const { epoch, effectiveness } = one;
              await load(gateway, 'solana-validator-epochs', [validatorEpoch(epoch, 0, { effectiveness })]);
            } else if (one.kind === 'removed') {
              await query(`delete from solana_stake_authority_epochs where epoch = ${one.epoch}`);
            } else await refreshed(gateway, only);
          }
          await refreshed(gateway, only);
          const found = await authorities();
          await query('truncate solana_epoch_spans, stake_authority_span_sums');
          await refreshed(gateway, only);
          expect(await authorities()).toEqual(found);
        }),
        { ...runs(15), endOnFailure: true },
      );
    },
  );

  it('are stored for the spans before that of the newest epoch, and read in place of their rows', async () => {
    await loadEpochs(upTo(44));
    expect(await due()).toEqual([true, true, true]);
    await refreshed(gateway, only);
    expect(await spans()).toEqual([
      { first: 0, due: false, epochs: upTo(14) },
      { first: 15, due: false, epochs: upTo(14).map((epoch) => epoch + 15) },
      { first: 30, due: true, epochs: null },
    ]);
    const reports = await refreshed(gateway, only);
    expect(reports.find(({ window }) => window === 'all')?.facts).toBe(30);
  });

  slow('are computed again for a span of which an import changes a row, and for no other', async () => {
    await loadEpochs(upTo(44));
    await refreshed(gateway, only);
    await loadEpochs(upTo(44));
    expect(await due()).toEqual([false, false, true]);
    await load(gateway, 'solana-stake-authority-epochs', [authorityEpoch(3, 10, 0, { mevRewards: '7' })]);
    expect(await due()).toEqual([true, false, true]);
    await refreshed(gateway, only);
    await load(gateway, 'solana-validator-epochs', [validatorEpoch(20, 0, { effectiveness: '0.5' })]);
    expect(await due()).toEqual([false, true, true]);
    await refreshed(gateway, only);
    await load(gateway, 'solana-epochs', [{ ...epochRow(3), stakeAccountCount: 900 }]);
    expect(await due()).toEqual([true, false, true]);
    await refreshed(gateway, only);
    const before = await authorities();
    const removed = { replace: true };
    await load(
      gateway,
      'solana-stake-authority-epochs',
      [authorityEpoch(3, 10, 0, { mevRewards: '7' })],
      removed,
    );
    expect(
      await query('select stake_authority as key from solana_stake_authority_epochs where epoch = 3'),
    ).toEqual([{ key: keyOf(10) }]);
    expect(await query('select count(*)::int as rows from solana_stake_authority_epochs')).toEqual([
      { rows: 89 },
    ]);
    expect(await due()).toEqual([true, false, true]);
    await refreshed(gateway, only);
    expect(await authorities()).not.toEqual(before);
  });

  it('are due again if an import commits while they are computed', async () => {
    await loadEpochs(upTo(44));
    const own = new pg.Client({ connectionString: gateway.database.url });
    await own.connect();
    await own.query('begin');
    expect(await sumDueSpan(own)).toBe(true);
    const loaded = load(gateway, 'solana-validator-epochs', [validatorEpoch(3, 0, { effectiveness: '0.5' })]);
    await own.query('commit');
    await loaded;
    await own.end();
    expect((await spans())[0]).toMatchObject({ first: 0, due: true });
  });

  it('name the validator whose row is missing, as the other windows do', async () => {
    await loadEpochs(upTo(20));
    await query(`delete from solana_validator_epochs where (epoch, vote_account) = (4, '${keyOf(1)}')`);
    await expect(refreshed(gateway, only)).rejects.toThrow(
      `Stake is with validator ${keyOf(1)} in epoch 4, but solana-validator-epochs has no row for it: import that row.`,
    );
  });
});
