import { beforeEach, describe, expect, it } from 'vitest';
import { slashing } from '../ingest/rows.ts';
import { useGateway } from '../support/gateway.ts';
import { load, published, refreshed, revisions, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() =>
  gateway.database.pool.query({
    text: 'truncate slashings, validator_days, validator_day_dates, chain_heads, datasets cascade',
    values: [],
  }),
);

const only = { only: ['slashings'] as const };
const SLASHED = 1_500 * 225 + 10;
const WITHDRAWABLE = SLASHED + 8_192;
const row = (index: number, change: object = {}) =>
  slashing(index, { slashingEpoch: SLASHED, withdrawableEpoch: WITHDRAWABLE, ...change });
const day = (index: number, at: number, endEpochBalance: number, change: object = {}) =>
  validatorDay(index, at, { endEpochBalance, ...change });
const hundred = {
  endEpoch: 1_501 * 225 + 99,
  totalUniqueAttestations: 100,
  sumCorrectHead: 100,
  sumCorrectTarget: 100,
  sumCorrectSource: 100,
  sumInclusionDelay: 100,
};
const stored = async () =>
  (await gateway.get('/v0/eth/slashings')).json.data.map((one: any) => [
    one.validatorIndex,
    one.balanceBeforeWithdrawal,
    one.slashingPenalties,
  ]);
/** How far the chain is known, without days of validators that say more. */
const head = (epoch: number) =>
  gateway.database.pool.query({
    text: `insert into chain_heads values ('mainnet', $1) on conflict (network) do update set slot = excluded.slot`,
    values: [epoch * 32 + 31],
  });

describe('slashings of a refresh', () => {
  it('follow the newest balance, also where more was lost than was there before', async () => {
    await load(gateway, 'slashings', [row(1), row(2), row(3, { slashingEpoch: SLASHED + 1_000 })]);
    await load(gateway, 'validator-days', [
      day(1, 1_502, 30_900_000_001),
      day(2, 1_501, 30_000_000_000),
      day(2, 1_502, 33_000_000_000),
      day(3, 1_502, 5), // before the slashing
    ]);
    const reports = await refreshed(gateway, only);
    expect(reports[0]).toMatchObject({
      network: 'mainnet',
      state: 'done',
      updated: 2,
      inserted: 0,
      removed: 0,
    });
    expect(await stored()).toEqual([
      [1, 30_900_000_001, 1_099_999_999],
      [2, 33_000_000_000, -1_000_000_000],
      [3, 31_000_000_000, 1_000_000_000],
    ]);
  });

  it('stay as they are without a row on the newest date: who has exited is still penalised, and has no days', async () => {
    const penalised = { balanceBeforeWithdrawal: 31_754_993_670, slashingPenalties: 245_006_330 };
    await load(gateway, 'slashings', [row(1, penalised), row(2)]);
    await load(gateway, 'validator-days', [
      day(1, 1_501, 31_988_817_005, { ...hundred }), // the day of its exit
      day(2, 1_502, 30_900_000_001),
    ]);
    await refreshed(gateway, only);
    expect(await stored()).toEqual([
      [1, 31_754_993_670, 245_006_330],
      [2, 30_900_000_001, 1_099_999_999],
    ]);
  });

  it('of a validator that left on the newest date take its last balance where it is less than the stored one', async () => {
    await load(gateway, 'slashings', [row(1), row(2)]);
    await load(gateway, 'validator-days', [
      day(1, 1_501, 31_100_000_000, { ...hundred }),
      day(2, 1_501, 30_900_000_001, { ...hundred }),
      day(3, 1_501, 32_000_000_000),
    ]);
    await refreshed(gateway, only);
    expect(await stored()).toEqual([
      [1, 31_000_000_000, 1_000_000_000],
      [2, 30_900_000_001, 1_099_999_999],
    ]);
  });

  it('change nothing and raise no revision the second time', async () => {
    await load(gateway, 'slashings', [row(1)]);
    await load(gateway, 'validator-days', [day(1, 1_500, 30_900_000_001)]);
    await refreshed(gateway, only);
    const [rows, raised] = [await published(gateway), await revisions(gateway)];
    expect(raised).toContainEqual({ name: 'slashings', revision: 2 });
    await refreshed(gateway, only);
    expect(await published(gateway)).toEqual(rows);
    expect(await revisions(gateway)).toEqual(raised);
  });

  it.each([
    [WITHDRAWABLE - 1, 30_900_000_001],
    [WITHDRAWABLE, 31_000_000_000],
    [WITHDRAWABLE + 1, 31_000_000_000],
  ])('with the head at epoch %i of withdrawable %s', async (epoch, balance) => {
    await load(gateway, 'slashings', [row(1)]);
    await load(gateway, 'validator-days', [day(1, 1_500, 30_900_000_001)]);
    await head(epoch);
    await refreshed(gateway, only);
    expect((await stored())[0][1]).toBe(balance);
  });

  it('are frozen too where only days of validators tell how far the chain is', async () => {
    await load(gateway, 'slashings', [row(1)]);
    const last = Math.floor(WITHDRAWABLE / 225);
    await load(gateway, 'validator-days', [
      day(1, 1_500, 30_900_000_001),
      day(7, last, 1, {
        startEpoch: WITHDRAWABLE,
        endEpoch: WITHDRAWABLE,
        totalUniqueAttestations: 1,
        sumCorrectHead: 1,
        sumCorrectTarget: 1,
        sumCorrectSource: 1,
        sumInclusionDelay: 1,
      }),
    ]);
    await refreshed(gateway, only);
    expect((await stored())[0][1]).toBe(31_000_000_000);
  });
});
