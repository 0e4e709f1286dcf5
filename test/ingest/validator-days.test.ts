import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
let account: Account;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  account = await accountOf(gateway);
});
afterAll(() => gateway.close());

const DAY = 1_500;
/** A row that fits, of a day of the chain calendar. */
const row = (change: object = {}) => ({
  validatorIndex: 7,
  day: DAY,
  startEpoch: DAY * 225,
  endEpoch: DAY * 225 + 224,
  totalUniqueAttestations: 224,
  sumMissedAttestations: 1,
  sumMissedSyncSignatures: null,
  sumSyncSignatureCount: null,
  sumCorrectHead: 220,
  sumCorrectTarget: 223,
  sumCorrectSource: 224,
  sumWrongHeadVotes: 4,
  sumWrongTargetVotes: 1,
  sumLateTargetVotes: 0,
  sumLateSourceVotes: 0,
  sumInclusionDelay: 230,
  proposedCount: 0,
  missedProposalCount: 0,
  endEpochBalance: 32014860472,
  endEpochEffectiveBalance: 32000000000,
  sumAttestationRewards: -1200,
  sumSyncCommitteeRewards: 0,
  sumProposerRewards: 0,
  sumPriorityFees: 0,
  sumBaselineMev: 0,
  ...change,
});
/** A day of a validator that has exited and still sits in the sync committee. */
const noDuties = {
  ...{ totalUniqueAttestations: 0, sumMissedAttestations: 0, sumCorrectHead: 0, sumCorrectTarget: 0 },
  ...{ sumCorrectSource: 0, sumWrongHeadVotes: 0, sumWrongTargetVotes: 0, sumInclusionDelay: 0 },
  ...{ sumSyncSignatureCount: 40, sumMissedSyncSignatures: 2 },
};
const load = (rows: unknown[], options = {}) =>
  importText(gateway, 'validator-days', JSON.stringify(rows), options);
const refusals = async (value: unknown) =>
  (await load([value])).faults.map(({ field, msg }) => `${field} ${msg}`);

describe('the import of validator days', () => {
  it('loads days, once, and corrects them when they come again', async () => {
    const rows = [row(), row({ day: DAY + 1, startEpoch: (DAY + 1) * 225, endEpoch: (DAY + 1) * 225 })].map(
      (one, at) =>
        at
          ? {
              ...one,
              totalUniqueAttestations: 1,
              sumMissedAttestations: 0,
              sumCorrectHead: 1,
              sumCorrectTarget: 1,
              sumCorrectSource: 1,
              sumWrongHeadVotes: 0,
              sumInclusionDelay: 1,
            }
          : one,
    );
    expect(await load(rows)).toMatchObject({ faults: [], inserted: 2, updated: 0, loaded: true });
    expect(await load(rows)).toMatchObject({ inserted: 0, updated: 0 });
    expect((await load([row(), row({ validatorIndex: 7, date: '2025-01-09' })])).faults).toMatchObject([
      { place: 'row 2', msg: 'repeats row 1' },
    ]);
    const { rows: stored } = await gateway.database.pool.query({
      text: 'select date::text, utc, sum_attestation_rewards::text as rewards from validator_days order by date',
      values: [],
    });
    expect(stored[0]).toEqual({ date: '2025-01-09', utc: false, rewards: '-1200' });
  });

  it('takes rows of the UTC calendar', async () => {
    const utc = row({
      validatorIndex: 8,
      startEpoch: DAY * 225 - 110,
      endEpoch: DAY * 225 + 112,
      totalUniqueAttestations: 200,
    });
    const report = await load(
      [{ ...utc, sumCorrectSource: 200, sumCorrectTarget: 199, sumCorrectHead: 196 }],
      { utc: true },
    );
    expect(report).toMatchObject({ faults: [], inserted: 1 });
    expect(
      (await load([row({ utc: true, day: 1_300, startEpoch: 292_420, endEpoch: 292_430 })])).faults.map(
        ({ field }) => field,
      ),
    ).toContain('day');
  });

  it('refuses a wrong period after rows of a right one, in each row', async () => {
    const days = [row(), row({ validatorIndex: 8 }), row({ validatorIndex: 9, startEpoch: 1 })];
    const rows = [
      ...days,
      row({ validatorIndex: 10, startEpoch: 1 }),
      row({ validatorIndex: 11, utc: true }),
    ];
    const text = rows.map((one) => JSON.stringify(one)).join('\n');
    const { faults } = await importText(gateway, 'validator-days', text);
    expect(faults.map(({ place, field }) => [place, field])).toEqual([
      ['line 3', 'startEpoch'],
      ['line 4', 'startEpoch'],
      ['line 5', 'endEpoch'],
    ]);
  });

  it.each<[object, string]>([
    [{ validatorIndex: -1 }, 'validatorIndex must be at least 0'],
    [{ utc: 'x' }, 'utc must be true or false'],
    [{ date: '2025-01-10' }, `date is 2025-01-10; on mainnet this row's is 2025-01-09`],
    [{ startEpoch: 1 }, 'startEpoch is 1; the period holds epochs 337500 to 337724'],
    [
      { totalUniqueAttestations: 0, sumMissedAttestations: 0 },
      'totalUniqueAttestations is 0 with none missed; a day without duties has no row',
    ],
    [{ sumMissedAttestations: 2 }, 'totalUniqueAttestations with those missed is 226 in 225 epochs'],
    [{ sumCorrectHead: 225 }, 'sumCorrectHead is 225, more than totalUniqueAttestations 224'],
    [{ sumLateSourceVotes: 226 }, 'sumLateSourceVotes is 226, more than the 225 duties'],
    [{ sumInclusionDelay: 223 }, 'sumInclusionDelay is 223; 224 attestations take 1 to 64 slots each'],
    [
      { sumMissedSyncSignatures: 1 },
      'sumSyncSignatureCount must be given together with sumMissedSyncSignatures, or neither',
    ],
    [{ proposedCount: 7_201 }, 'proposedCount is 7201; 225 epochs hold at most 7200'],
    [{ endEpochBalance: '281474976710657' }, 'endEpochBalance must be at most 281474976710656 Gwei'],
    [{ sumBaselineMev: '-281474976710657' }, 'sumBaselineMev must be at most 281474976710656 Gwei'],
    [{ sumPriorityFees: 1.5 }, 'sumPriorityFees must be a whole number'],
    [{ effectiveBalanceEpochs: -1 }, 'effectiveBalanceEpochs must be a whole number >= 0'],
    [
      { effectiveBalanceEpochs: 225 * 32_000_000_000 + 1 },
      'effectiveBalanceEpochs is 7200000000001; effective balances are whole ETH, so their sum is a multiple of 1000000000 Gwei',
    ],
    ...[32_000_000_000, 225 * 16_000_000_000 - 1_000_000_000, 225 * 2_048_000_000_000 + 1_000_000_000].map(
      (sum): [object, string] => [
        { effectiveBalanceEpochs: sum },
        `effectiveBalanceEpochs is ${sum}; the effective balances of 225 epochs with duties add up to 3600000000000 to 460800000000000 Gwei`,
      ],
    ),
    [
      { endEpochEffectiveBalance: 10_000_000_000, effectiveBalanceEpochs: 225 * 9_000_000_000 },
      'effectiveBalanceEpochs is 2025000000000; the effective balances of 225 epochs with duties add up to 2250000000000 to 460800000000000 Gwei',
    ],
    [
      { ...noDuties, effectiveBalanceEpochs: 32_000_000_000 },
      'effectiveBalanceEpochs is 32000000000; the effective balances of 0 epochs with duties add up to 0 to 0 Gwei',
    ],
    [{ proposedCount: 1, emptyPayloadCount: 2 }, 'emptyPayloadCount is 2, more than proposedCount 1'],
    [{ day: 100_001 }, 'day must be at most 100000'],
    [{ network: 'x' }, 'network must be one of mainnet, hoodi, holesky, sepolia'],
  ])('refuses %j', async (change, fault) => {
    expect(await refusals(row(change))).toContain(fault);
  });

  it.each([225 * 16_000_000_000, 225 * 2_048_000_000_000, null, undefined])(
    'takes the effective balance of all epochs, %s, of JSON, NDJSON and CSV',
    async (sum) => {
      const one = row({ validatorIndex: 20, effectiveBalanceEpochs: sum });
      const columns = Object.keys(one).filter((name) => one[name as keyof typeof one] !== undefined);
      const csv = [columns, columns.map((name) => one[name as keyof typeof one] ?? '')].join('\n');
      for (const [text, options] of [
        [JSON.stringify([one]), {}],
        [`${JSON.stringify(one)}\n`, {}],
        [csv, { format: 'csv' }],
      ] as const) {
        await gateway.database.pool.query({
          text: 'delete from validator_days where validator_index = 20',
          values: [],
        });
        expect(await importText(gateway, 'validator-days', text, options)).toMatchObject({
          ...{ faults: [], inserted: 1 },
        });
        const { rows } = await gateway.database.pool.query({
          text: 'select effective_balance_epochs::float8 as sum from validator_days where validator_index = 20',
          values: [],
        });
        expect(rows).toEqual([{ sum: sum ?? null }]);
      }
    },
  );

  it('sums the days up for every private set, also when they are corrected', async () => {
    const validators = [7, 8].map((validatorIndex) => ({
      validatorIndex,
      validatorPubkey: `0x${'a'.repeat(95)}${validatorIndex}`,
      depositAddress: `0x${'1'.repeat(40)}`,
      slashed: false,
    }));
    await importText(gateway, 'validators', JSON.stringify(validators));
    const { json } = await account.post('/v1/eth/tags', { name: 'x', validators: [7, 8] });
    const rewards = async () =>
      (await account.get(`/v1/eth/sets/${json.id}/rewards?limit=1`)).json.results[0];
    expect(await rewards()).toMatchObject({ day: DAY, validatorCount: 1, sumRewards: -1200 });
    await load([row({ sumAttestationRewards: 5 }), row({ validatorIndex: 8 })]);
    expect(await rewards()).toMatchObject({ validatorCount: 2, sumRewards: -1195 });
  });

  it('takes a day of sync duty alone, which counts for the rewards of a set and for none of its means', async () => {
    const only = { ...noDuties, sumAttestationRewards: 0, sumSyncCommitteeRewards: 150 };
    const of = (day: number) => ({ day, startEpoch: day * 225, endEpoch: day * 225 + 224 });
    const [mixed, alone] = [DAY + 200, DAY + 201];
    const validators = [31, 32].map((validatorIndex) => ({
      validatorIndex,
      validatorPubkey: `0x${'b'.repeat(94)}${validatorIndex}`,
      depositAddress: `0x${'1'.repeat(40)}`,
      slashed: false,
    }));
    await importText(gateway, 'validators', JSON.stringify(validators));
    const { json } = await account.post('/v1/eth/tags', { name: 'exited', validators: [31] });
    const report = await load([
      row({ validatorIndex: 31, ...of(mixed) }),
      row({ validatorIndex: 32, ...of(mixed), ...only }),
      row({ validatorIndex: 32, ...of(alone), ...only }),
    ]);
    expect(report).toMatchObject({ faults: [], inserted: 3 });
    await account.post(`/v1/eth/tags/${json.id}/validators`, { pubkeys: [32] });
    const results = async (what: string, more: string) =>
      (await account.get(`/v1/eth/sets/${json.id}/${what}?fromDay=${mixed}&sortOrder=asc${more}`)).json
        .results;
    for (const granularity of ['', '&granularity=all']) {
      const [rewards, effectiveness, attestations] = await Promise.all(
        ['rewards', 'effectiveness', 'attestations'].map((what) => results(what, granularity)),
      );
      const rows = granularity ? 1 : 2;
      expect(rewards).toHaveLength(rows);
      expect(effectiveness[0].avgUptime).toBeCloseTo(224 / 225, 12);
      expect(attestations[0].sumSyncSignatureCount).toBe(granularity ? 80 : 40);
      if (granularity) continue;
      expect(rewards).toMatchObject([
        { validatorCount: 1, sumRewards: -1050 },
        { validatorCount: 0, sumRewards: 150 },
      ]);
      expect(attestations[0]).toMatchObject({
        validatorCount: 1,
        sumEndEpochEffectiveBalance: 32_000_000_000,
      });
      expect(attestations[1]).toMatchObject({
        validatorCount: 0,
        sumEndEpochEffectiveBalance: 0,
        avgAttesterEffectiveness: 0,
      });
      expect(effectiveness[1]).toMatchObject({ avgUptime: 0, avgCorrectness: null, avgInclusionDelay: null });
    }
  });

  slow('and a change of the set at the same time leave it with all its days', async () => {
    const { json } = await account.post('/v1/eth/tags', { name: 'x' });
    const days = Array.from({ length: 40 }, (_, at) => DAY + 10 + at);
    await Promise.all([
      ...days.map((day) =>
        load(
          [7, 8].map((validatorIndex) =>
            row({ validatorIndex, day, startEpoch: day * 225, endEpoch: day * 225 + 224 }),
          ),
        ),
      ),
      account.post(`/v1/eth/tags/${json.id}/validators`, { pubkeys: [7] }),
      account.post(`/v1/eth/tags/${json.id}/validators`, { pubkeys: [8] }),
    ]);
    const { results } = (
      await account.get(`/v1/eth/sets/${json.id}/attestations?fromDay=${DAY + 10}&limit=100`)
    ).json;
    expect(results.map((one: any) => one.validatorCount)).toEqual(days.map(() => 2));
  });
});
