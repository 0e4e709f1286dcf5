import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validatorTotal } from '../../src/resources/validators/queries.ts';
import { statusOf, validatorStatuses } from '../../src/resources/validators/status.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs } from '../support/thorough.ts';

const LAST = 2 ** 31 - 1;
let gateway: Gateway;
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
  gateway = await startGateway({ database });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});
const run = async (text: string, values: unknown[] = []) =>
  (await database.pool.query({ text, values })).rows;

const indices = Array.from({ length: 12 }, (_, index) => index);
const epoch = fc.integer({ min: 10, max: 20 });
const lives = fc.oneof(
  fc.constant([null, null]),
  epoch.map((activation) => [activation, null]),
  fc.tuple(epoch, epoch).map((both) => both.toSorted((a, b) => a - b)),
);
const row = fc
  .record({ validatorIndex: fc.constantFrom(...indices), life: lives, slashed: fc.boolean() })
  .map(({ life: [activationEpoch, exitEpoch], ...rest }) => ({
    ...{ ...rest, activationEpoch, exitEpoch, network: 'mainnet', nodeOperator: null, pool: null },
    ...{ depositAddress: null, withdrawalAddress: null },
    validatorPubkey: `0x${String(rest.validatorIndex).padStart(96, '0')}`,
  }));
const rows = fc.uniqueArray(row, { selector: (one) => one.validatorIndex, minLength: 1 });
const some = fc.uniqueArray(fc.constantFrom(...indices), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('import' as const), rows, replace: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), indices: some }),
  fc.record({ kind: fc.constant('slash' as const), indices: some }),
);

it('totals of validators by status are those of the stored validators after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      for (const change of steps) {
        if (change.kind === 'import') {
          const report = await importText(gateway, 'validators', JSON.stringify(change.rows), change);
          expect(report).toMatchObject({ faults: [], loaded: true });
        } else if (change.kind === 'delete')
          await run('delete from validators where validator_index = any($1)', [change.indices]);
        else
          await run('update validators set slashed = true where validator_index = any($1)', [change.indices]);
      }
      const stored =
        (await run(`select activation_epoch as "activationEpoch", exit_epoch as "exitEpoch", slashed
        from validators where network = 'mainnet'`)) as {
          activationEpoch: number | null;
          exitEpoch: number | null;
          slashed: boolean;
        }[];
      const order = { field: 'index', ascending: true } as const;
      for (const newest of [9, 14, 20, LAST - 1])
        for (const status of [null, ...validatorStatuses])
          for (const slashed of [null, false, true]) {
            const list = { network: 'mainnet' as const, operator: null, slashed, status, order };
            const counted = stored.filter(
              (one) =>
                (status === null || statusOf(one, newest) === status) &&
                (slashed === null || one.slashed === slashed),
            );
            const total = await validatorTotal(
              database.pool,
              { ...list, epochs: { first: 0, last: LAST } },
              newest,
            );
            expect([newest, status, slashed, total]).toEqual([newest, status, slashed, counted.length]);
          }
    }),
    { ...runs(40), endOnFailure: true },
  );
  await run('truncate validators');
  expect(await run('select * from validator_counts')).toEqual([]);
});
