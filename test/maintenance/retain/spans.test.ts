import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { refreshed } from '../../refresh/facts.ts';
import { authorityEpoch, clearSolana, epochRow, keyOf, validatorEpoch } from '../../refresh/solana-epochs.ts';
import { slow } from '../../support/thorough.ts';
import { short, useRetained } from './retained.ts';

const { gateway, run, load, retained, keptFrom } = useRetained();
beforeEach(async () => {
  await run(clearSolana);
  for (const first of [0, 15, 30, 45]) await run(`drop table if exists ${table}_${first}`);
});

const table = 'solana_stake_authority_epochs';
const days = { 'solana-stake-authority-epochs': 31 };
const only = { only: ['solana'] as const };
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, epoch) => epoch);
/** Epoch 45 ends on 2025-04-03. */
const at = { now: new Date('2025-05-10T00:00:00Z') };

async function loadEpochs(epochs: readonly number[]) {
  await load('solana-epochs', epochs.map(epochRow));
  await load(
    'solana-validator-epochs',
    epochs.map((epoch) => validatorEpoch(epoch, 0)),
  );
  await load(
    'solana-stake-authority-epochs',
    epochs.flatMap((epoch) => [authorityEpoch(epoch, 10, 0), authorityEpoch(epoch, 11, 0)]),
  );
}
const summaries = () =>
  run(`select to_jsonb(s) - 'summary_id' as row from stake_authority_summaries s
    where not superseded order by time_window, stake_authority`);
const stored = () => run(`select min(epoch) as first, count(*)::int as rows from ${table}`);

describe('epochs of stake authorities', () => {
  slow('are dropped by 15 once all are older, and the figures of every window stay', async () => {
    await loadEpochs(upTo(45));
    await refreshed(gateway, only);
    const found = await summaries();
    const planned = await retained(days, { ...at, dryRun: true });
    expect(short(planned)).toEqual([`${table}_0 would drop`, `${table}_15 would drop`]);
    // days are counted back from the newest end of an epoch, 2025-04-03, to 2025-03-02, which is when epoch 29 ends
    expect(
      short(await retained({ ...days, 'solana-stake-authority-epochs': 33 }, { ...at, dryRun: true })),
    ).toEqual([`${table}_0 would drop`]);
    const told = await retained(days, at);
    expect(short(told)).toEqual([`${table}_0 dropped`, `${table}_15 dropped`]);
    expect(told[0]).toMatchObject({ from: '2025-01-03', before: '2025-02-01', bytes: planned[0]?.bytes });
    expect(told[0]).not.toHaveProperty('first');
    expect(await stored()).toEqual([{ first: 30, rows: 32 }]);
    await refreshed(gateway, only);
    expect(await summaries()).toEqual(found);
    expect(short(await retained(days, at))).toEqual([`${table} solana nothing`]);
  });

  slow(
    'have the date from which they are kept in the list of datasets, and earlier ones are refused',
    async () => {
      await loadEpochs(upTo(45));
      await refreshed(gateway, only);
      await retained(days, at);
      const kept = { date: '2025-03-03', network: 'solana' };
      expect(await keptFrom()).toEqual([{ dataset: 'solana-stake-authority-epochs', ...kept }]);
      const { data } = await gateway.graphql('{ datasets { name keptFrom { network facts date } } }');
      const told = data.datasets.find(
        ({ name }: { name: string }) => name === 'solana-stake-authority-epochs',
      );
      expect(told.keptFrom).toEqual([{ facts: 'solana-stake-authority-epochs', ...kept }]);
      const late = [authorityEpoch(3, 10, 0), authorityEpoch(29, 10, 0), authorityEpoch(30, 10, 0)];
      await expect(load('solana-stake-authority-epochs', late)).rejects.toThrow(
        '2 of the solana-stake-authority-epochs are before epoch 30, and stakegraph retain has dropped those epochs. Leave them out.',
      );
      expect(await stored()).toEqual([{ first: 30, rows: 32 }]);
    },
  );

  slow('keep their sums when their epochs or validators are corrected afterwards', async () => {
    await loadEpochs(upTo(45));
    await refreshed(gateway, only);
    await retained(days, at);
    const found = await summaries();
    await load('solana-validator-epochs', [validatorEpoch(3, 0, { effectiveness: '0.5' })]);
    await load('solana-epochs', [{ ...epochRow(4), stakeAccountCount: 900 }]);
    await refreshed(gateway, only);
    expect(await summaries()).toEqual(found);
  });

  slow('are kept until a refresh has summed them, and the message says which', async () => {
    await loadEpochs(upTo(45));
    const message =
      'the window all of stake authorities does not have its sums yet: run stakegraph refresh --only solana --windows all first.';
    for (const [dryRun, first, later] of [
      [true, 'would refuse', 'would not be'],
      [false, 'refused', 'was not'],
    ] as const) {
      const told = await retained(days, { ...at, dryRun });
      expect(told.map(({ part, state, error }) => [part, state, error])).toEqual([
        [`${table}_0`, first, message],
        [`${table}_15`, first, `${table}_0 is older and ${later} dropped`],
      ]);
    }
    await refreshed(gateway, only);
    await load('solana-stake-authority-epochs', [authorityEpoch(20, 10, 0, { mevRewards: '1' })]);
    expect(short(await retained(days, at))).toEqual([`${table}_0 dropped`, `${table}_15 refused`]);
  });

  slow('are kept while an epoch is in no window, because a row of it is missing', async () => {
    await loadEpochs(upTo(45));
    await run('delete from solana_epochs where epoch = 7');
    await refreshed(gateway, only);
    const [told] = await retained(days, at);
    expect(told).toMatchObject({
      part: `${table}_0`,
      state: 'refused',
      error:
        'epoch 7 is not in any window yet, because solana-epochs or solana-validator-epochs has no row of it: import its rows, and run stakegraph refresh --only solana --windows all.',
    });
    await load('solana-epochs', [epochRow(7)]);
    await refreshed(gateway, only);
    expect(short(await retained(days, at))).toEqual([`${table}_0 dropped`, `${table}_15 dropped`]);
  });

  slow('stay while an import of their validators is open', async () => {
    await loadEpochs(upTo(45));
    await refreshed(gateway, only);
    const own = new pg.Client({ connectionString: gateway.database.url });
    await own.connect();
    onTestFinished(() => own.end());
    await own.query('begin');
    await own.query(
      `update solana_validator_epochs set effectiveness = 0.5 where (epoch, vote_account) = (3, '${keyOf(0)}')`,
    );
    const told = await retained(days, { ...at, attempts: 2, lockTimeoutMs: 50 });
    expect(told[0]).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('it was in use at each of 2 attempts'),
    });
    await own.query('commit');
    expect(short(await retained(days, at))).toEqual([`${table}_0 refused`, `${table}_15 refused`]);
    await refreshed(gateway, only);
    expect(short(await retained(days, at))).toEqual([`${table}_0 dropped`, `${table}_15 dropped`]);
  });

  it('that no epoch is known of are told as nothing', async () => {
    expect(short(await retained(days, at))).toEqual([`${table} solana nothing`]);
  });
});
