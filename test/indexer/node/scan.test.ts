import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BalanceReader } from '../../../src/indexer/node/scan/balances.ts';
import { CommitteeReader } from '../../../src/indexer/node/scan/committees.ts';
import { ElementScanner } from '../../../src/indexer/node/scan/elements.ts';
import { RegistryReader } from '../../../src/indexer/node/scan/registry.ts';
import { runs } from '../../support/thorough.ts';

type Reader = { fast: any; slow: any; result(): any };

/** Reads a text in pieces of these sizes. */
function read<R extends Reader>(reader: R, text: string, sizes: readonly number[] = [65_536]) {
  const scanner = new ElementScanner(reader);
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] as number;
    scanner.push(bytes.subarray(at, at + size));
    at += size;
  }
  const envelope = scanner.end();
  return { envelope, result: reader.result() as ReturnType<R['result']> };
}

/** The same JSON with other white space, order of keys, and keys that nobody asked for. */
function written(value: any, random: () => number): string {
  const space = () => ['', '', '', ' ', '\n  ', '\t'][Math.floor(random() * 6)];
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => written(item, random)).join(`${space()},${space()}`)}${space()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  if (random() < 0.3) entries.sort(() => random() - 0.5);
  if (random() < 0.2) entries.push(['extra', ['}', { deep: '"]\\' }, null, 1.5e3]]);
  const members = entries.map(
    ([key, item]) => `${JSON.stringify(key)}${space()}:${space()}${written(item, random)}`,
  );
  return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
}

const layout = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
  sizes: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
  free: fc.boolean(),
});
const text = (value: unknown, { seed, free }: { seed: number; free: boolean }): string => {
  let x = seed;
  const random = () => (x = (x * 48_271) % 2_147_483_647) / 2_147_483_647;
  return free ? written(value, random) : JSON.stringify(value);
};
const envelope = { execution_optimistic: false, finalized: true };

const balanceList = (balances: readonly number[]) =>
  balances.map((balance, index) => ({ index: String(index), balance: String(balance) }));

describe('balances by byte scan', () => {
  const gwei = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 41 }),
    fc.constantFrom(0, 2 ** 53 - 1, 999_999_999_999_999),
  );
  it('are those of JSON.parse, in any layout, order and cutting into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(gwei, { minLength: 1, maxLength: 40 }),
        layout,
        fc.boolean(),
        (balances, how, last) => {
          const data = balanceList(balances);
          const shuffled = how.seed % 2 ? data.reverse() : data;
          const value = last ? { data: shuffled, ...envelope } : { ...envelope, data: shuffled };
          const { result, envelope: around } = read(new BalanceReader(4), text(value, how), how.sizes);
          expect([...result]).toEqual(balances);
          expect(around).toMatchObject({ ...envelope, data: [] });
        },
      ),
      runs(400),
    );
  });

  it('are refused where the answer was cut anywhere', () => {
    const whole = JSON.stringify({ ...envelope, data: balanceList([5, 32_000_000_000, 7]), last: 1 });
    for (let length = 0; length < whole.length; length += 1)
      expect(() => read(new BalanceReader(), whole.slice(0, length), [13]), whole.slice(0, length)).toThrow();
    expect([...read(new BalanceReader(), whole).result]).toEqual([5, 32_000_000_000, 7]);
  });

  it.each([
    ['[{"index":"0","balance":"1"}]', /JSON is expected/],
    ['<html>', /JSON is expected, but the answer is "<html>"/],
    ['{"data":5}', /data is not a list but "5}"/],
    ['{"data":[]}', /no validator is listed/],
    ['{"data":[5]}', /entry 0 of the list is "5\]}"/],
    ['{"data":[{"index":"0","balance":"1"},]}', /entry 1 of the list is "\]}"/],
    ['{"data":[{"index":"0","balance":"1"}{"index":"1","balance":"1"}]}', /entry 1 of the list/],
    ['{"data":[{"index":"0","balance":"1"}]}{}', /not JSON/],
    ['{"data":[{"index":"0","balance":"1"}],"data":[]}', /data twice/],
    ['{"data":[{"index":[0],"balance":"1"}]}', /index is \[0\] in place of a decimal/],
    ['{"data":[{"index":"0","balance":"01"}]}', /balance is "01" in place of a decimal/],
    ['{"data":[{"index":"0","balance":"-1"}]}', /balance is "-1"/],
    ['{"data":[{"index":"0","balance":"9007199254740993"}]}', /balance is "9007199254740993"/],
    ['{"data":[{"index":"0"}]}', /balance is undefined/],
    ['{"data":[{"index":"0","balance":"1"},{"index":"0","balance":"1"}]}', /validator 0 is listed twice/],
    ['{"data":[{"index":"0","balance":"1"},{"index":"2","balance":"1"}]}', /validator 1 is missing, but 2/],
    [
      '{"data":[{"index":"0","balance":"1"},{"index":"99000000","balance":"1"}]}',
      /validator 99000000 is listed, but about 65536 are expected/,
    ],
    [
      '{"data":[{"index":"99999999999","balance":"1"}]}',
      /index is "99999999999" in place of a decimal up to/,
    ],
    ['{"data":[{"index":"0","balance":"1" "x":1}]}', /entry 0 of the list is not JSON/],
    ['{"code":404,"message":"data"}', /a list named data is expected/],
  ])('are refused as %s', (given, message) => {
    expect(() => read(new BalanceReader(), given)).toThrow(message);
    expect(() => read(new BalanceReader(), given, [1])).toThrow();
  });

  it('are read in linear time where bytes come one by one', () => {
    const whole = JSON.stringify({ data: balanceList(Array.from({ length: 2_000 }, (_, i) => i)) });
    expect(read(new BalanceReader(), whole, [1]).result).toHaveLength(2_000);
  });
});

describe('committees by byte scan', () => {
  const shape = { epoch: 7, slotsPerEpoch: 4, maxPerSlot: 3 };
  const list = (perSlot: number, size: number) =>
    Array.from({ length: 4 * perSlot }, (_, k) => ({
      index: String(k % perSlot),
      slot: String(28 + Math.floor(k / perSlot)),
      validators: Array.from({ length: size }, (_, i) => String(1_000_000 - (k * size + i))),
    }));

  it('are those of JSON.parse, in any layout, order and cutting into pieces', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 30 }),
        layout,
        (perSlot, size, how) => {
          const data = list(perSlot, size);
          const expected = data.flatMap(({ validators }) => validators.map(Number));
          const value = { data: how.seed % 2 ? data.toReversed() : data, ...envelope };
          const { result } = read(new CommitteeReader(shape, 4), text(value, how), how.sizes);
          expect([...result.members]).toEqual(expected);
          expect([...result.offsets]).toEqual(Array.from({ length: 4 * perSlot + 1 }, (_, k) => k * size));
          expect([result.perSlot, result.epoch]).toEqual([perSlot, 7]);
        },
      ),
      runs(300),
    );
  });

  it.each([
    ['one is missing', (data: any[]) => data.slice(1), /7 committees for 4 slots/],
    ['one is there twice', (data: any[]) => [...data.slice(1), data[1]], /slot 28 lacks committee 0/],
    [
      'a slot is of another epoch',
      (data: any[]) => [{ ...data[0], slot: '32' }, ...data.slice(1)],
      /slot 32, which/,
    ],
    [
      'an index is too high',
      (data: any[]) => [{ ...data[0], index: '3' }, ...data.slice(1)],
      /a committee 3/,
    ],
    [
      'a validator has two duties',
      (data: any[]) => [{ ...data[0], validators: data[1].validators }, ...data.slice(1)],
      /is in two committees/,
    ],
    [
      'a member is no number',
      (data: any[]) => [{ ...data[0], validators: ['x'] }, ...data.slice(1)],
      /is "x"/,
    ],
  ])('are refused where %s', (_, change, message) => {
    const given = JSON.stringify({ data: change(list(2, 5)) });
    expect(() => read(new CommitteeReader(shape), given)).toThrow(message);
  });
});

describe('the registry by byte scan', () => {
  const far = '18446744073709551615';
  const bytes = (count: number) =>
    fc
      .uint8Array({ minLength: count, maxLength: count })
      .map((raw) => `0x${Buffer.from(raw).toString('hex')}`);
  const epoch = fc.oneof(fc.constant(far), fc.integer({ min: 0, max: 2 ** 40 }).map(String));
  const validator = fc.record({
    pubkey: bytes(48),
    withdrawal_credentials: bytes(32),
    effective_balance: fc.constantFrom('0', '32000000000', '2048000000000'),
    slashed: fc.boolean(),
    activation_eligibility_epoch: epoch,
    activation_epoch: epoch,
    exit_epoch: epoch,
    withdrawable_epoch: epoch,
  });
  const entry = (value: any, index: number) => ({
    index: String(index),
    balance: '31999999999',
    status: 'active_ongoing',
    validator: value,
  });
  const number = (given: string) => (given === far ? Number.POSITIVE_INFINITY : Number(given));

  it('has the records of JSON.parse, in any layout, order and cutting into pieces', () => {
    fc.assert(
      fc.property(fc.array(validator, { minLength: 1, maxLength: 8 }), layout, (validators, how) => {
        const data = validators.map(entry);
        const value = { ...envelope, data: how.seed % 2 ? data.toReversed() : data };
        const sizes = how.sizes.map((size) => size * 7);
        const { result } = read(new RegistryReader(validators.length), text(value, how), sizes);
        expect([...result]).toEqual(
          validators.map((one, index) => ({
            index,
            pubkey: one.pubkey,
            withdrawalCredentials: one.withdrawal_credentials,
            effectiveBalance: Number(one.effective_balance),
            slashed: one.slashed,
            activationEligibilityEpoch: number(one.activation_eligibility_epoch),
            activationEpoch: number(one.activation_epoch),
            exitEpoch: number(one.exit_epoch),
            withdrawableEpoch: number(one.withdrawable_epoch),
          })),
        );
      }),
      runs(300),
    );
  });

  it.each([
    ['a key is too short', { pubkey: '0x12' }, /pubkey is "0x12" in place of 0x and 48 bytes/],
    ['a key is not hex', { pubkey: `0x${'zz'.repeat(48)}` }, /pubkey is "0xzz/],
    ['slashed is a string', { slashed: 'true' }, /slashed is "true"/],
    ['an epoch is no integer', { exit_epoch: 5.5 }, /exit_epoch is 5.5/],
    ['an epoch is too large', { exit_epoch: '18446744073709551614' }, /exit_epoch is "18446744073709551614"/],
    ['a field is missing', { exit_epoch: undefined }, /exit_epoch is undefined/],
  ])('is refused where %s', (_, change, message) => {
    const sample = fc.sample(validator, 3);
    const data = sample.map((one, i) => entry(i === 1 ? { ...one, ...change } : one, i));
    expect(() => read(new RegistryReader(3), JSON.stringify({ data }))).toThrow(message);
  });

  it('is refused where a validator is missing, twice or not in the balances', () => {
    const data = fc.sample(validator, 3).map(entry);
    expect(() => read(new RegistryReader(4), JSON.stringify({ data }))).toThrow(/3 of 4 validators/);
    expect(() => read(new RegistryReader(2), JSON.stringify({ data }))).toThrow(
      /2 is listed, but the balances end/,
    );
    expect(() => read(new RegistryReader(4), JSON.stringify({ data: [...data, data[2]] }))).toThrow(
      /2 is listed twice/,
    );
  });
});
