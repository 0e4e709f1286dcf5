import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { exact } from '../support/exact.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import {
  addressOf,
  type Day,
  load,
  published,
  randomDay,
  refreshed,
  revisions,
  syncDay,
  validator,
  validatorDay,
} from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const query = (text: string) => gateway.database.pool.query({ text, values: [] });
const clear = () =>
  query(`truncate validator_days, validator_day_dates, validators, operator_profiles, operator_summaries, operator_lists,
    attestation_entities, attestation_days, attestation_hours, kept_from, datasets cascade`);
beforeEach(clear);

const only = { only: ['attestations'] as const, networks: ['mainnet'] as const };
const DAY = 1_500;
/** A day that ends with the validator's exit, after so many epochs. */
const leaves = (index: number, epochs: number, change: object = {}) =>
  validatorDay(index, DAY, {
    endEpoch: DAY * 225 + epochs - 1,
    totalUniqueAttestations: epochs,
    sumCorrectHead: epochs,
    sumCorrectTarget: epochs,
    sumCorrectSource: epochs,
    sumInclusionDelay: epochs,
    ...change,
  });
const path = (id: string, entityType: string, more = '') =>
  `/v1/eth/entities/${encodeURIComponent(id)}/attestations?entityType=${entityType}&sortOrder=asc&limit=100${more}`;
const rowsOf = async (id: string, entityType = 'pool', more = '') =>
  exact((await gateway.get(path(id, entityType, more))).text).results as Record<string, unknown>[];

type Validator = ReturnType<typeof validator>;
const groups: [string, (v: Validator) => string | null][] = [
  ['depositAddress', (v) => v.depositAddress],
  ['withdrawalAddress', (v) => v.withdrawalAddress],
  ['nodeOperator', (v) => v.nodeOperator],
  ['pool', (v) => v.pool],
  ['poolShare', (v) => (v.pool && v.nodeOperator ? `${v.pool} - ${v.nodeOperator}` : null)],
  ['validator', (v) => String(v.validatorIndex)],
];
const sums = [
  'totalUniqueAttestations',
  'sumMissedAttestations',
  'sumCorrectHead',
  'sumCorrectTarget',
  'sumCorrectSource',
  'sumWrongHeadVotes',
  'sumInclusionDelay',
] as const;

/** An entity's day, computed by the documented rules: with plain loops over its validators' days. */
function reference(facts: readonly Day[]) {
  const endEpoch = Math.max(...facts.map((fact) => fact.endEpoch));
  const duties = (fact: Day) => fact.totalUniqueAttestations + fact.sumMissedAttestations;
  const dutiful = facts.filter((fact) => duties(fact) > 0);
  const active = dutiful.filter((fact) => fact.endEpoch === endEpoch);
  const sat = facts.filter((fact) => fact.sumSyncSignatureCount !== null);
  const effectiveness = dutiful.map((fact) => {
    const { totalUniqueAttestations: U, sumCorrectHead: H, sumCorrectTarget: T, sumCorrectSource: S } = fact;
    return U === 0 ? 0 : (100 * (U / duties(fact)) * ((H + T + S) / (3 * U))) / (fact.sumInclusionDelay / U);
  });
  const sum = (of: readonly Day[], name: keyof Day) =>
    of.reduce((all, fact) => all + BigInt((fact[name] as number | null) ?? 0), 0n);
  return {
    ...Object.fromEntries(sums.map((name) => [name, String(sum(facts, name))])),
    validatorCount: String(active.length),
    sumEndEpochBalance: String(sum(active, 'endEpochBalance')),
    sumEndEpochEffectiveBalance: String(sum(active, 'endEpochEffectiveBalance')),
    sumSyncSignatureCount: sat.length === 0 ? null : String(sum(sat, 'sumSyncSignatureCount')),
    sumMissedSyncSignatures: sat.length === 0 ? null : String(sum(sat, 'sumMissedSyncSignatures')),
    startEpoch: String(Math.min(...facts.map((fact) => fact.startEpoch))),
    endEpoch: String(endEpoch),
    effectiveness: dutiful.length === 0 ? 0 : effectiveness.reduce((a, b) => a + b, 0) / dutiful.length,
  };
}

const story = fc
  .tuple(
    ...Array.from({ length: 6 }, (_, index) =>
      fc.record({
        validator: fc
          .record({
            depositAddress: fc.nat(2).map(addressOf),
            withdrawalAddress: fc.option(fc.nat(1).map((at) => addressOf(at + 10))),
            nodeOperator: fc.option(fc.constantFrom('N', 'Ñ')),
            pool: fc.option(fc.constantFrom('P', 'Q')),
          })
          .map((own) => validator(index, own)),
        days: fc.tuple(
          ...[DAY, DAY + 1].map((day) =>
            fc.option(
              fc.oneof(
                { weight: 4, arbitrary: randomDay(index, day) },
                { weight: 1, arbitrary: fc.constant(syncDay(index, day)) },
              ),
            ),
          ),
        ),
        leaves: fc.option(fc.integer({ min: 1, max: 224 }), { freq: 4 }),
      }),
    ),
  )
  .map((told) => ({
    validators: told.map((one) => one.validator),
    facts: told.flatMap((one) => {
      const [first, second] = one.days;
      const left = one.leaves === null ? first : leaves(one.validator.validatorIndex, one.leaves);
      return [left, one.leaves === null ? second : null].filter((fact) => fact !== null) as Day[];
    }),
  }));

describe('attestations by day of a refresh', () => {
  slow(
    'are what plain loops over the days of their validators give, in every class; again they change nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async ({ validators, facts }) => {
          await clear();
          await load(gateway, 'validators', validators);
          await load(gateway, 'validator-days', facts);
          const types = groups.map(([idType]) => idType) as never;
          await refreshed(gateway, { ...only, types });
          for (const [idType, idOf] of groups)
            for (const id of new Set(validators.map(idOf))) {
              if (id === null) continue;
              const own = validators.filter((v) => idOf(v) === id).map((v) => v.validatorIndex);
              const mine = facts.filter((fact) => own.includes(fact.validatorIndex));
              const days = [...new Set(mine.map((fact) => fact.day))].sort();
              const found = await rowsOf(id, idType);
              expect((found ?? []).map((row) => Number(row.day))).toEqual(days);
              for (const row of found ?? []) {
                const { effectiveness, ...wanted } = reference(
                  mine.filter((fact) => fact.day === Number(row.day)),
                );
                const text = (value: unknown) => (value === null ? null : String(value));
                const got = Object.fromEntries(Object.keys(wanted).map((name) => [name, text(row[name])]));
                expect(got, `${idType} ${id}`).toEqual(wanted);
                expect(Math.abs(Number(row.avgAttesterEffectiveness) - effectiveness)).toBeLessThan(1e-11);
              }
            }
          const [rows, raised] = [await published(gateway), await revisions(gateway)];
          const again = await refreshed(gateway, { ...only, types, allDays: true });
          for (const report of again)
            if (report.state === 'done')
              expect(report).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
          expect(await published(gateway)).toEqual(rows);
          expect(await revisions(gateway)).toEqual(raised);
        }),
        { ...runs(8), endOnFailure: true },
      );
    },
  );

  it('have the members of the last epoch as validators, and sync duty of those that left', async () => {
    await load(gateway, 'validators', [validator(1), validator(2), validator(3)]);
    await load(gateway, 'validator-days', [
      validatorDay(1, DAY),
      leaves(2, 100, { sumCorrectHead: 0 }),
      syncDay(3, DAY),
      syncDay(3, DAY + 1),
    ]);
    await refreshed(gateway, only);
    expect(await rowsOf('P')).toMatchObject([
      {
        ...{ validatorCount: 1, sumEndEpochBalance: '32000000000', totalUniqueAttestations: '325' },
        ...{ sumSyncSignatureCount: '7000', sumMissedSyncSignatures: '100' },
        avgAttesterEffectiveness: expect.closeTo((100 + 200 / 3) / 2, 10),
      },
      {
        ...{ validatorCount: 0, sumEndEpochBalance: '0', totalUniqueAttestations: '0' },
        ...{ sumSyncSignatureCount: '7000', avgAttesterEffectiveness: 0 },
      },
    ]);
  });

  slow('are in both calendars and the same on both APIs', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, DAY)]);
    const utc = { startEpoch: DAY * 225 - 111, endEpoch: DAY * 225 + 112 };
    const change = { totalUniqueAttestations: 224, sumMissedAttestations: 0, sumInclusionDelay: 448 };
    const votes = { sumCorrectHead: 224, sumCorrectTarget: 224, sumCorrectSource: 224 };
    await load(gateway, 'validator-days', [validatorDay(1, DAY, { ...utc, ...change, ...votes })], {
      utc: true,
    });
    const reports = await refreshed(gateway, only);
    expect(reports.map(({ calendar, state, inserted, days }) => [calendar, state, inserted, days])).toEqual([
      ['chain', 'done', 4, 1], // no withdrawal address
      ['utc', 'done', 4, 1],
    ]);
    expect(await rowsOf('P', 'pool', '&utc=true')).toMatchObject([{ ...utc, avgAttesterEffectiveness: 50 }]);
    expect(await rowsOf('P', 'pool')).toMatchObject([{ totalUniqueAttestations: '225' }]);
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(
      `{ attestations(operatorId: "P - N", idType: POOL_SHARE, utc: true) {
        nodes { totalUniqueAttestations avgAttesterEffectiveness validatorCount } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.attestations.nodes).toEqual([
      { totalUniqueAttestations: '224', avgAttesterEffectiveness: 50, validatorCount: 1 },
    ]);
    expect(gateway.statements).toHaveLength(1);
  });

  slow('are computed of the days that changed, and of all days where that is asked for', async () => {
    await load(gateway, 'validators', [validator(1)]);
    const days = Array.from({ length: 17 }, (_, at) => validatorDay(1, DAY + at));
    await load(gateway, 'validator-days', days);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ days: 17, inserted: 68 });
    await load(gateway, 'validator-days', days); // the same rows again
    expect((await refreshed(gateway, only))[0]).toMatchObject({ state: 'done', days: 0, rows: 0 });
    await load(gateway, 'validator-days', [validatorDay(1, DAY + 3, { endEpochBalance: 5 })]);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ days: 1, rows: 4, updated: 4 });
    await load(gateway, 'validators', [validator(1, { pool: 'Q' })]);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ days: 0 });
    expect((await refreshed(gateway, { ...only, allDays: true }))[0]).toMatchObject({
      ...{ days: 17, inserted: 34, updated: 0, removed: 34 }, // the pool and its share
    });
    expect(await rowsOf('P')).toEqual([]);
    expect(await rowsOf('Q')).toHaveLength(17);
  });

  it('are not computed of days whose attestations were dropped, also if all days are asked for', async () => {
    await load(gateway, 'validators', [validator(1)]);
    const days = [DAY, DAY + 1].map((day) => validatorDay(1, day));
    await load(gateway, 'validator-days', days);
    await query(
      `insert into kept_from select 'attestation-days', network, max(date) from validator_day_dates group by network`,
    );
    for (const allDays of [false, true]) {
      expect((await refreshed(gateway, { ...only, allDays }))[0]).toMatchObject({ state: 'done', days: 1 });
      expect((await rowsOf('P')).map((row) => Number(row.day))).toEqual([DAY + 1]);
    }
    await query(`update kept_from set network = 'hoodi'`);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ state: 'done', days: 1, inserted: 4 });
  });

  it('come when validators become known after their days', async () => {
    await load(gateway, 'validator-days', [validatorDay(1, DAY)]);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ days: 1, rows: 0 });
    await load(gateway, 'validators', [validator(1)]);
    expect((await refreshed(gateway, only))[0]).toMatchObject({ days: 1, inserted: 4 });
  });

  it('replace stored rows of entities with known validators, and leave those of others and of other days', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, DAY), validatorDay(1, DAY + 1)]);
    await refreshed(gateway, only);
    const [row] = await rowsOf('P');
    const given = { ...row, entityType: 'pool', validatorCount: 77 };
    const next = { day: DAY + 2, date: null, startEpoch: (DAY + 2) * 225, endEpoch: (DAY + 2) * 225 };
    const moments = { startTimestamp: null, endTimestamp: null, startSlot: null, endSlot: null };
    await load(gateway, 'attestations', [
      given,
      { ...given, id: 'other' },
      { ...given, ...moments, ...next },
      { ...given, id: 'E', entityType: 'entity' },
    ]);
    await load(gateway, 'operators', [operator('P')]);
    await refreshed(gateway, { ...only, allDays: true });
    expect((await rowsOf('P')).map((one) => Number(one.validatorCount))).toEqual([1, 1, 77]);
    expect(await rowsOf('other')).toMatchObject([{ validatorCount: 77 }]);
    expect(await rowsOf('E', 'entity')).toMatchObject([{ validatorCount: 77 }]);
  });

  it('of a pool share go by the name of its profile, and are refused where two would have one name', async () => {
    await load(gateway, 'validators', [
      validator(1, { pool: 'A - B', nodeOperator: 'C' }),
      validator(2, { pool: 'A', nodeOperator: 'B - C' }),
    ]);
    await load(gateway, 'validator-days', [validatorDay(1, DAY), validatorDay(2, DAY)]);
    await expect(refreshed(gateway, only)).rejects.toThrow(
      /^The name "A - B - C", of .*, is that of 2 pool shares/,
    );
    const profile = { idType: 'poolShare', poolId: 'A', nodeOperatorId: 'B - C', id: 'other' };
    await load(gateway, 'operator-profiles', [profile]);
    await refreshed(gateway, only);
    expect(await rowsOf('other', 'poolShare')).toMatchObject([{ validatorCount: 1 }]);
  });
});
