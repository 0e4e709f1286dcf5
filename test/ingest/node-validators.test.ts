import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const query = (text: string) => gateway.database.pool.query({ text, values: [] });
beforeEach(() => query('truncate validators'));

const load = (content: string, options = {}) => importText(gateway, 'validators', content, options);
const stored = async () =>
  (await query(`select * from validators order by network collate "C", validator_index`)).rows;

const FAR_FUTURE = '18446744073709551615';
const pubkeyOf = (index: number) => `0x${index.toString(16).padStart(96, 'a')}`;
const ADDRESS = `0x${'c'.repeat(40)}`;

/** A validator of a beacon node's `/eth/v1/beacon/states/{state}/validators`. */
const entry = (index: number, change: object = {}, around: object = {}) => ({
  index: String(index),
  balance: '32000012345',
  status: 'active_ongoing',
  validator: {
    pubkey: pubkeyOf(index),
    withdrawal_credentials: `0x01${'0'.repeat(22)}${'c'.repeat(40)}`,
    effective_balance: '32000000000',
    slashed: false,
    activation_eligibility_epoch: '8',
    activation_epoch: '10',
    exit_epoch: FAR_FUTURE,
    withdrawable_epoch: FAR_FUTURE,
    ...change,
  },
  ...around,
});
const answer = (...data: unknown[]) => ({ execution_optimistic: false, finalized: true, data });
const labels = { depositAddress: `0x${'b'.repeat(40)}`, nodeOperator: 'Operator', pool: 'Pool' };
const ownRow = (validatorIndex: number, change: object = {}) => ({
  validatorIndex,
  validatorPubkey: pubkeyOf(validatorIndex),
  withdrawalAddress: ADDRESS,
  activationEpoch: 10,
  exitEpoch: null,
  slashed: false,
  ...change,
});

describe("an import of a beacon node's answer about validators", () => {
  it.each([
    ['as the node sends it', JSON.stringify(answer(entry(0), entry(1)))],
    ['over several lines', JSON.stringify(answer(entry(0), entry(1)), null, 2)],
    ['as a list of its entries', JSON.stringify([entry(0), entry(1)])],
    ['as NDJSON of its entries', `${JSON.stringify(entry(0))}\n${JSON.stringify(entry(1))}\n`],
  ])('stores its validators: %s', async (_form, text) => {
    expect(await load(text)).toMatchObject({ rows: 2, faults: [], inserted: 2, updated: 0 });
    expect(await load(JSON.stringify([ownRow(0), ownRow(1)]))).toMatchObject({ inserted: 0, updated: 0 });
    expect(await load(text)).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
  });

  it('takes numbers in place of decimals in strings, the far future included', async () => {
    const text = JSON.stringify(answer(entry(0), entry(1))).replaceAll(/"(\d+)"/g, '$1');
    expect(text).toContain(`"exit_epoch":${FAR_FUTURE}`);
    await load(text);
    expect(await load(JSON.stringify([ownRow(0), ownRow(1)]))).toMatchObject({ inserted: 0, updated: 0 });
  });

  it.each([
    ['0x00', null],
    ['0x01', ADDRESS],
    ['0x02', ADDRESS],
    ['0x03', null],
  ])('stores of credentials that begin with %s the withdrawal address %s', async (prefix, address) => {
    const withdrawal_credentials = `${prefix}${'0'.repeat(22)}${'C'.repeat(40)}`;
    await load(JSON.stringify(answer(entry(5, { withdrawal_credentials }))));
    expect((await stored())[0]?.withdrawal_address).toBe(address);
  });

  it('keeps stored deposit addresses, node operators and pools, of which a node knows nothing', async () => {
    await load(JSON.stringify([ownRow(0, labels), ownRow(1, labels), ownRow(2, { pool: 'Other' })]));
    const text = JSON.stringify(answer(entry(0, { exit_epoch: '99', slashed: true }), entry(1), entry(3)));
    expect(await load(text)).toMatchObject({ inserted: 1, updated: 1, removed: 0 });
    const kept = [
      ownRow(0, { ...labels, exitEpoch: 99, slashed: true }),
      ownRow(1, labels),
      ownRow(2, { pool: 'Other' }),
      ownRow(3),
    ];
    expect(await load(JSON.stringify(kept))).toMatchObject({ inserted: 0, updated: 0 });
    expect(await load(text, { replace: true })).toMatchObject({ inserted: 0, updated: 0, removed: 1 });
    expect((await stored()).map((row) => row.pool)).toEqual(['Pool', 'Pool', null]);
  });

  it('keeps the labels of its own entries only, when rows of stakegraph follow in the same file', async () => {
    await load(JSON.stringify([ownRow(0, labels), ownRow(1, labels)]));
    await load(JSON.stringify([entry(0), ownRow(1, { pool: 'New' })]));
    expect((await stored()).map((row) => [row.node_operator, row.pool])).toEqual([
      ['Operator', 'Pool'],
      [null, 'New'],
    ]);
  });

  slow('stores the same table as rows of stakegraph with the same validators', async () => {
    const epoch = fc.integer({ min: 0, max: 2 ** 31 - 1 });
    const hex = (digits: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
    const one = fc
      .record({
        index: fc.nat(2 ** 31 - 1),
        key: hex(96),
        prefix: fc.constantFrom('00', '01', '02'),
        rest: hex(62),
        slashed: fc.boolean(),
        epochs: fc.option(fc.tuple(epoch, fc.option(epoch)), { nil: undefined }),
        numbers: fc.boolean(),
      })
      .map(({ index, key, prefix, rest, slashed, epochs, numbers }) => {
        const [first, last] = epochs ?? [null, null];
        const ordered = last === null || first === null ? last : Math.max(first, last);
        const written = (value: number | null) =>
          value === null ? FAR_FUTURE : numbers ? value : String(value);
        return {
          own: ownRow(index, {
            validatorPubkey: `0x${key}`,
            withdrawalAddress: prefix === '00' ? null : `0x${rest.slice(-40)}`,
            activationEpoch: first,
            exitEpoch: ordered,
            slashed,
          }),
          node: entry(
            index,
            {
              pubkey: `0x${key}`,
              withdrawal_credentials: `0x${prefix}${rest}`,
              activation_epoch: written(first),
              exit_epoch: written(ordered),
              slashed,
            },
            { index: numbers ? index : String(index) },
          ),
        };
      });
    const validators = fc.uniqueArray(one, { selector: ({ own }) => own.validatorIndex, minLength: 1 });
    const table = async (rows: unknown) => {
      await query('truncate validators');
      expect((await load(JSON.stringify(rows))).faults).toEqual([]);
      return await stored();
    };
    await fc.assert(
      fc.asyncProperty(validators, async (all) => {
        const own = await table(all.map((one) => one.own));
        expect(own).toHaveLength(all.length);
        expect(await table(answer(...all.map((one) => one.node)))).toEqual(own);
      }),
      { ...runs(100), endOnFailure: true },
    );
  });

  const epochNeeded = `an epoch from 0 to 2147483647, or ${FAR_FUTURE} for none, is needed`;
  const indexNeeded = 'an index from 0 to 2147483647 is needed';
  const { index: _, ...unnamed } = entry(1);
  it.each([
    ['index', entry(1, {}, { index: '-1' }), `is "-1"; ${indexNeeded}`],
    ['index', entry(1, {}, { index: '01' }), `is "01"; ${indexNeeded}`],
    ['index', entry(1, {}, { index: 1.5 }), `is 1.5; ${indexNeeded}`],
    ['index', entry(1, {}, { index: 2 ** 31 }), `is 2147483648; ${indexNeeded}`],
    ['index', unnamed, 'is missing; an index from 0 to 2147483647 is needed'],
    ['validator.pubkey', entry(1, { pubkey: '0x12' }), 'is "0x12"; 0x and 96 hex digits are needed'],
    [
      'validator.withdrawal_credentials',
      entry(1, { withdrawal_credentials: ADDRESS }),
      `is "${ADDRESS}"; 0x and 64 hex digits are needed`,
    ],
    [
      'validator.withdrawal_credentials',
      entry(1, { withdrawal_credentials: undefined }),
      'is missing; 0x and 64 hex digits are needed',
    ],
    ['validator.slashed', entry(1, { slashed: 'no' }), 'is "no"; true or false is needed'],
    ['validator.activation_epoch', entry(1, { activation_epoch: null }), `is null; ${epochNeeded}`],
    [
      'validator.exit_epoch',
      entry(1, { exit_epoch: '18446744073709551614' }),
      `is "18446744073709551614"; ${epochNeeded}`,
    ],
    ['validator.exit_epoch', entry(1, { exit_epoch: '9' }), 'is 9, before the activation epoch, which is 10'],
  ])('refuses an entry by its number and names the field and its value: %s', async (field, wrong, msg) => {
    const { faults, loaded } = await load(JSON.stringify(answer(entry(0), wrong)));
    expect(faults).toEqual([{ file: expect.any(String), place: 'row 2', field, msg }]);
    expect(loaded).toBe(false);
  });

  it('loads the others with --skip-invalid, and gives the wrong entry back as it was', async () => {
    const wrong = entry(1, { pubkey: '0x12' });
    const rejected: string[] = [];
    const options = { skipInvalid: true, onRejected: (text: string) => rejected.push(text) };
    expect(await load(JSON.stringify(answer(wrong, entry(0))), options)).toMatchObject({ inserted: 1 });
    expect(rejected.map((text) => JSON.parse(text))).toEqual([wrong]);
  });

  it('refuses an entry that repeats a validator, and one whose key another index has', async () => {
    await load(JSON.stringify(answer(entry(7))));
    const other = entry(8, { pubkey: pubkeyOf(7) });
    const { faults } = await load(JSON.stringify(answer(entry(1), entry(1), other)));
    expect(faults.map(({ place, msg }) => [place, msg])).toEqual([
      ['row 2', 'repeats row 1'],
      ['row 3', 'is stored as that of 7'],
    ]);
  });

  it("says of a node's error that it has no validators", async () => {
    const text = JSON.stringify({ code: 404, message: 'State not found' });
    await expect(load(text)).rejects.toThrow('has no field of validators: its keys are code, message');
  });
});
