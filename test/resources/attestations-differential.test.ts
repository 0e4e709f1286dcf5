import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Calendar,
  calendars,
  dateOfDay,
  dayOfEpoch,
  epochStart,
  FIRST_UTC_DATE,
} from '../../src/chain/calendar.ts';
import { type Network, networks } from '../../src/chain/networks.ts';
import { transaction } from '../../src/db/pool.ts';
import { attestationImporter, type ImportedAttestation } from '../../src/ingest/importers/attestations.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import { type Granularity, granularities } from '../../src/periods/record.ts';
import { hourOfEpoch, periodStart } from '../support/calendar.ts';
import { exact } from '../support/exact.ts';
import { useGateway } from '../support/gateway.ts';
import { runs } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });

const sums = [
  'totalUniqueAttestations',
  'sumMissedAttestations',
  'sumCorrectHead',
  'sumCorrectTarget',
  'sumCorrectSource',
  'sumWrongHeadVotes',
  'sumWrongTargetVotes',
  'sumLateTargetVotes',
  'sumLateSourceVotes',
  'sumInclusionDelay',
] as const;
const syncSums = ['sumMissedSyncSignatures', 'sumSyncSignatureCount'] as const;

/** What one epoch brought: the facts that every period sums up. */
type Fact = { epoch: number; validatorCount: number; effectiveness: number; balance: bigint } & Record<
  (typeof sums)[number],
  bigint
> &
  Record<(typeof syncSums)[number], bigint | null>;

const amount = fc.bigInt({ min: 0n, max: 2n ** 50n });
const factAt = (epoch: number): fc.Arbitrary<Fact> =>
  fc
    .record({
      validatorCount: fc.nat({ max: 100_000 }),
      effectiveness: fc.double({ min: 0, max: 100, noNaN: true }),
      balance: fc.bigInt({ min: 0n, max: 2n ** 62n }),
      amounts: fc.array(amount, { minLength: sums.length, maxLength: sums.length }),
      sync: fc.option(fc.tuple(amount, amount), { freq: 1 }),
    })
    .map(({ amounts, sync, ...rest }) => {
      const named = Object.fromEntries(sums.map((name, index) => [name, amounts[index]]));
      const duty = { sumMissedSyncSignatures: sync?.[0] ?? null, sumSyncSignatureCount: sync?.[1] ?? null };
      return { epoch, ...rest, ...named, ...duty } as Fact;
    });

/** Epochs with gaps: mostly some hours apart, sometimes months, so that periods are empty, short and crossed. */
const facts = (network: Network): fc.Arbitrary<Fact[]> =>
  fc
    .array(
      fc.oneof(
        { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 6 },
        fc.integer({ min: 200, max: 30_000 }),
      ),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    .chain((steps) => {
      // Some begin before the first UTC date, so that the boundary is crossed.
      let epoch = Math.max(
        0,
        Math.floor((Date.parse('2024-09-30T20:00:00Z') / 1000 - epochStart(network, 0)) / 384),
      );
      const epochs = steps.map((step) => (epoch += step) - step);
      return fc.tuple(...epochs.map(factAt)) as unknown as fc.Arbitrary<Fact[]>;
    });

type Group = { facts: Fact[]; key: string };

/** Splits facts, in order, where the key changes. */
function groupBy(list: Fact[], keyOf: (fact: Fact) => string): Group[] {
  const groups: Group[] = [];
  for (const fact of list) {
    const key = keyOf(fact);
    if (groups.at(-1)?.key === key) groups.at(-1)?.facts.push(fact);
    else groups.push({ key, facts: [fact] });
  }
  return groups;
}

const total = (list: (bigint | null)[]) => {
  const given = list.filter((value): value is bigint => value !== null);
  return given.length === 0 ? null : given.reduce((sum, value) => sum + value, 0n);
};

/** The figures of some facts, by a plain loop; the mean of each finer row counts by its validators. */
function figures(parts: Fact[][]) {
  const all = parts.flat();
  const ends = parts.map((part) => part.at(-1) as Fact);
  const means = parts.map((part) => part.reduce((sum, fact) => sum + fact.effectiveness, 0) / part.length);
  const weights = ends.map((fact) => fact.validatorCount);
  const weight = weights.reduce((sum, value) => sum + value, 0);
  const weighted = means.reduce((sum, mean, index) => sum + mean * (weights[index] as number), 0) / weight;
  return {
    validatorCount: (all.at(-1) as Fact).validatorCount,
    sumEndEpochBalance: String((all.at(-1) as Fact).balance),
    sumEndEpochEffectiveBalance: String((all.at(-1) as Fact).balance / 2n),
    avgAttesterEffectiveness:
      weight > 0 ? weighted : means.reduce((sum, mean) => sum + mean, 0) / means.length,
    ...Object.fromEntries(sums.map((name) => [name, String(total(all.map((fact) => fact[name])))])),
    ...Object.fromEntries(
      syncSums.map((name) => [name, total(all.map((fact) => fact[name]))?.toString() ?? null]),
    ),
    startEpoch: (all[0] as Fact).epoch,
    endEpoch: (all.at(-1) as Fact).epoch,
  };
}

function importRows(network: Network, calendar: Calendar, id: string, list: Fact[]): ImportedAttestation[] {
  const kept =
    calendar === 'utc' ? list.filter((fact) => dateOf(network, calendar, fact) >= FIRST_UTC_DATE) : list;
  const row = (group: Group, hour: number | null, day: number) =>
    ({
      network,
      calendar,
      entityType: 'pool',
      id,
      hour,
      day,
      ...figures([group.facts]),
    }) as ImportedAttestation;
  const hours = groupBy(kept, (fact) => String(hourOfEpoch(network, calendar, fact.epoch)));
  const days = groupBy(kept, (fact) => String(dayOfEpoch(network, calendar, fact.epoch)));
  return [
    ...hours.map((group) => row(group, Number(group.key), Math.floor(Number(group.key) / 24))),
    ...days.map((group) => row(group, null, Number(group.key))),
  ];
}

const dateOf = (network: Network, calendar: Calendar, fact: Fact) =>
  dateOfDay(network, dayOfEpoch(network, calendar, fact.epoch));

function expected(network: Network, calendar: Calendar, granularity: Granularity, id: string, list: Fact[]) {
  const kept =
    calendar === 'utc' ? list.filter((fact) => dateOf(network, calendar, fact) >= FIRST_UTC_DATE) : list;
  const day = (fact: Fact) => dayOfEpoch(network, calendar, fact.epoch);
  const hour = (fact: Fact) => hourOfEpoch(network, calendar, fact.epoch);
  const keyOf = (fact: Fact) => {
    if (granularity === 'hour') return String(hour(fact));
    if (granularity === 'day') return String(day(fact));
    return granularity === 'all' ? '' : periodStart(granularity, dateOf(network, calendar, fact));
  };
  return groupBy(kept, keyOf).map(({ facts: part }) => {
    const fine = granularity === 'hour' || granularity === 'day';
    const [first, last] = [part[0] as Fact, part.at(-1) as Fact];
    const finer = fine ? [part] : groupBy(part, (fact) => String(day(fact))).map((group) => group.facts);
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');
    return {
      id,
      ...figures(finer),
      hour: granularity === 'hour' ? hour(first) : null,
      day: fine ? day(first) : null,
      startDay: fine ? null : day(first),
      endDay: fine ? null : day(last),
      startDate: fine ? null : dateOf(network, calendar, first),
      endDate: fine ? null : dateOf(network, calendar, last),
      date: fine ? dateOf(network, calendar, first) : null,
      startTimestamp: iso(epochStart(network, first.epoch)),
      endTimestamp: iso(epochStart(network, last.epoch + 1) - 12),
      startSlot: first.epoch * 32,
      endSlot: last.epoch * 32 + 31,
    };
  });
}

describe('attestations of random epochs, against a plain loop', () => {
  let run = 0;

  it.each(networks)('%s: every granularity in both calendars', async (network) => {
    await fc.assert(
      fc.asyncProperty(facts(network), async (list) => {
        const id = `entity ${run++}`;
        for (const calendar of calendars) {
          const rows = importRows(network, calendar, id, list);
          await transaction(gateway.database.pool, (client) => loadRows(client, attestationImporter, rows));
          for (const granularity of granularities) {
            const path = `/v1/eth/entities/${id}/attestations?entityType=pool&limit=1000&granularity=${granularity}&utc=${calendar === 'utc'}`;
            const answer = await gateway.get(path, { 'x-service-network': network });
            if (answer.status === 404) {
              expect(rows).toEqual([]); // all before the first UTC date, and nothing else stored
              continue;
            }
            const results = exact(answer.text).results;
            const wanted = expected(network, calendar, granularity, id, list);
            expect(results.length).toBe(wanted.length);
            for (const [index, row] of wanted.entries()) {
              const { avgAttesterEffectiveness: mean, ...found } = results[index];
              const { avgAttesterEffectiveness, ...rest } = row;
              expect(found).toEqual(rest);
              expect(Math.abs(mean - avgAttesterEffectiveness)).toBeLessThanOrEqual(1e-9);
            }
          }
        }
      }),
      { ...runs(12), endOnFailure: true },
    );
  });
});
