import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Calendar,
  calendars,
  dateOfDay,
  dayOfDate,
  epochStart,
  epochsOfDay,
  FIRST_UTC_DATE,
} from '../../src/chain/calendar.ts';
import { granularities } from '../../src/periods/record.ts';
import { type Account, accountOf } from '../support/account.ts';
import { periodStart } from '../support/calendar.ts';
import { exact } from '../support/exact.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs } from '../support/thorough.ts';

const network = 'mainnet';
const VALIDATORS = 6;
let gateway: Gateway;
let account: Account;
let now = new Date('2024-01-01T00:00:00Z');
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty', now: () => now });
  account = await accountOf(gateway);
});
afterAll(() => gateway.close());

const counts = [
  'sumCorrectHead',
  'sumCorrectTarget',
  'sumCorrectSource',
  'sumWrongHeadVotes',
  'sumWrongTargetVotes',
] as const;
const late = ['sumLateTargetVotes', 'sumLateSourceVotes'] as const;
const amounts = [
  'sumAttestationRewards',
  'sumSyncCommitteeRewards',
  'sumProposerRewards',
  'sumPriorityFees',
  'sumBaselineMev',
] as const;
const attestationSums = [
  'totalUniqueAttestations',
  'sumMissedAttestations',
  ...counts,
  ...late,
  'sumInclusionDelay',
] as const;

type Fact = Record<string, any> & {
  validatorIndex: number;
  day: number;
  startEpoch: number;
  endEpoch: number;
};
const pubkeyOf = (index: number) => `0x${String(index).padStart(96, '8')}`;
const big = { min: -(2n ** 48n), max: 2n ** 48n };
const positive = { min: 0n, max: 2n ** 48n };

/** A day of a validator, as it may happen. */
const factOn = (calendar: Calendar, day: number, validatorIndex: number): fc.Arbitrary<Fact> => {
  const { first, last } = epochsOfDay(network, calendar, day);
  const epochs = last - first + 1;
  return fc
    .record({
      attested: fc.nat({ max: epochs }),
      missed: fc.nat({ max: epochs }),
      delay: fc.nat({ max: 63 }),
    })
    .chain(({ attested, missed, delay }) => {
      const missedThen = attested === 0 ? Math.max(1, missed) : Math.min(missed, epochs - attested);
      const ofCounts = counts.map((name) => [name, fc.nat({ max: attested })]);
      const ofLate = late.map((name) => [name, fc.nat({ max: attested + missedThen })]);
      const ofAmounts = amounts.map((name) => [name, fc.bigInt(big)]);
      return fc
        .record({
          ...Object.fromEntries([...ofCounts, ...ofLate, ...ofAmounts]),
          sync: fc.option(fc.tuple(fc.nat({ max: 7_000 }), fc.nat({ max: 7_000 })), { freq: 2 }),
          proposals: fc.oneof(
            { arbitrary: fc.constant([0, 0]), weight: 3 },
            fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })),
          ),
          endEpochBalance: fc.bigInt(positive),
          endEpochEffectiveBalance: fc.bigInt(positive),
        })
        .map(({ sync, proposals, ...rest }: any) => ({
          network,
          validatorIndex,
          utc: calendar === 'utc',
          day,
          startEpoch: first,
          endEpoch: last,
          totalUniqueAttestations: attested,
          sumMissedAttestations: missedThen,
          sumInclusionDelay: attested * (1 + delay),
          sumMissedSyncSignatures: sync?.[0] ?? null,
          sumSyncSignatureCount: sync?.[1] ?? null,
          proposedCount: proposals[0],
          missedProposalCount: proposals[1],
          ...rest,
        }));
    });
};

/** What is done to the set, and on which date. */
type Step = { date: string; add?: number[]; remove?: number };
const FIRST = dayOfDate(network, '2024-09-20');
const SPAN = 420;

/** Mostly around the first UTC date, so that facts and changes of the set meet on one date. */
const someDay = fc.oneof({ arbitrary: fc.nat({ max: 14 }), weight: 3 }, fc.nat({ max: SPAN }));

const story = fc
  .record({
    days: fc.uniqueArray(someDay, {
      minLength: 2,
      maxLength: 25,
    }),
    steps: fc.array(fc.record({ at: someDay, index: fc.nat({ max: VALIDATORS - 1 }), add: fc.boolean() }), {
      maxLength: 12,
    }),
    first: fc.subarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
    early: fc.boolean(),
  })
  .chain(({ days, steps, first, early }) =>
    fc
      .tuple(
        ...calendars.map((calendar) =>
          fc.tuple(
            ...days.flatMap((offset) =>
              Array.from({ length: VALIDATORS }, (_, index) =>
                fc.option(factOn(calendar, FIRST + offset, index), { freq: 3 }),
              ),
            ),
          ),
        ),
      )
      .map((facts) => ({
        early,
        first,
        steps: steps
          .sort((a, b) => a.at - b.at)
          .map(({ at, index, add }): Step => {
            const date = dateOfDay(network, FIRST + at);
            return add ? { date, add: [index] } : { date, remove: index };
          }),
        facts: facts
          .flat()
          .filter(
            (fact) => fact !== null && (!fact.utc || dateOfDay(network, fact.day) >= FIRST_UTC_DATE),
          ) as Fact[],
      })),
  );

/** When each validator counts, by the documented rule: from its first addition on, all days before its removal. */
function spans(first: number[], steps: Step[]) {
  const found = new Map<number, [from: string, until: string][]>();
  const add = (index: number, date: string) => {
    const own = found.get(index) ?? [];
    if (own.length > 0 && own.at(-1)?.[1] === '9') return;
    found.set(index, [...own, [own.length === 0 ? '0' : date, '9']]);
  };
  for (const index of first) add(index, '0');
  for (const { date, add: added, remove } of steps) {
    for (const index of added ?? []) add(index, date);
    const open = remove === undefined ? undefined : found.get(remove)?.at(-1);
    if (open && open[1] === '9') open[1] = date;
  }
  return (index: number, date: string) =>
    (found.get(index) ?? []).some(([from, until]) => from <= date && date < until);
}

const json = (rows: Fact[]) =>
  JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(
    /"#(-?\d+)#"/g,
    '$1',
  );

/** Plays a story and gives the set's id; facts come before or after the set. */
async function play(
  { early, first, steps, facts }: { early: boolean; first: number[]; steps: Step[]; facts: Fact[] },
  base: number,
) {
  const own = facts.map((fact) => ({ ...fact, validatorIndex: base + fact.validatorIndex }));
  const validators = Array.from({ length: VALIDATORS }, (_, index) => ({
    validatorIndex: base + index,
    validatorPubkey: pubkeyOf(base + index),
    depositAddress: `0x${'1'.repeat(40)}`,
    slashed: false,
  }));
  expect((await importText(gateway, 'validators', JSON.stringify(validators))).faults).toEqual([]);
  const load = async (rows: Fact[]) => {
    if (rows.length === 0) return;
    const report = await importText(
      gateway,
      'validator-days',
      `[${rows.map((row) => json([row]).slice(1, -1)).join(',')}]`,
    );
    expect(report.faults).toEqual([]);
  };
  const half = early ? own.length : Math.floor(own.length / 2);
  await load(own.slice(0, half));
  now = new Date('2024-09-20T10:00:00Z');
  const made = await account.post('/v1/eth/tags', {
    name: 'x',
    validators: first.map((index) => base + index),
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  for (const step of steps) {
    now = new Date(`${step.date}T12:00:00Z`);
    const path = `/v1/eth/tags/${id}/validators`;
    if (step.add) await account.post(path, { pubkeys: step.add.map((index) => base + index) });
    else await account.call('DELETE', `${path}/${base + (step.remove as number)}`);
  }
  await load(own.slice(half));
  return id as string;
}

const sum = (rows: Fact[], name: string) => rows.reduce((all, row) => all + BigInt(row[name]), 0n);
const mean = (values: (number | null)[]) => {
  const there = values.filter((value) => value !== null) as number[];
  return there.length === 0 ? null : there.reduce((all, value) => all + value, 0) / there.length;
};

const correctness = (f: Fact) =>
  f.totalUniqueAttestations === 0
    ? null
    : (f.sumCorrectHead + f.sumCorrectTarget + f.sumCorrectSource) / (3 * f.totalUniqueAttestations);
const delay = (f: Fact) =>
  f.totalUniqueAttestations === 0 ? null : f.sumInclusionDelay / f.totalUniqueAttestations;
const uptime = (f: Fact) => f.totalUniqueAttestations / (f.totalUniqueAttestations + f.sumMissedAttestations);
const attester = (f: Fact) =>
  f.totalUniqueAttestations === 0 ? 0 : (100 * uptime(f) * (correctness(f) as number)) / (delay(f) as number);
const proposer = (f: Fact) => {
  const due = f.proposedCount + f.missedProposalCount;
  return due === 0 ? null : (100 * f.proposedCount) / due;
};
const effectiveness = (f: Fact) => {
  const blocks = proposer(f);
  return blocks === null ? attester(f) : (5 / 8) * attester(f) + (3 / 8) * blocks;
};

/** The four records of a period from its members' facts, without the keys of the period. */
function records(part: Fact[], days: number[]) {
  const last = part.filter((fact) => fact.day === days.at(-1));
  const validatorCount = last.length;
  const sync = (name: string) => {
    const there = part.filter((fact) => fact[name] !== null);
    return there.length === 0 ? null : sum(there, name);
  };
  const consensus =
    sum(part, 'sumAttestationRewards') +
    sum(part, 'sumSyncCommitteeRewards') +
    sum(part, 'sumProposerRewards');
  const execution = sum(part, 'sumPriorityFees') + sum(part, 'sumBaselineMev');
  const balances = {
    sumEndEpochBalance: sum(last, 'endEpochBalance'),
    sumEndEpochEffectiveBalance: sum(last, 'endEpochEffectiveBalance'),
  };
  return {
    attestations: {
      validatorCount,
      ...Object.fromEntries(attestationSums.map((name) => [name, sum(part, name)])),
      sumMissedSyncSignatures: sync('sumMissedSyncSignatures'),
      sumSyncSignatureCount: sync('sumSyncSignatureCount'),
      avgAttesterEffectiveness: mean(part.map(attester)),
      ...balances,
      hour: null,
    },
    effectiveness: {
      validatorCount,
      avgCorrectness: mean(part.map(correctness)),
      avgInclusionDelay: mean(part.map(delay)),
      avgUptime: mean(part.map(uptime)),
      avgAttesterEffectiveness: mean(part.map(attester)),
      avgProposerEffectiveness: mean(part.map(proposer)),
      avgValidatorEffectiveness: mean(part.map(effectiveness)),
    },
    proposals: {
      validatorCount,
      proposerDutyCount: sum(part, 'proposedCount') + sum(part, 'missedProposalCount'),
      proposedCount: sum(part, 'proposedCount'),
      missedProposalCount: sum(part, 'missedProposalCount'),
      avgProposerEffectiveness: mean(part.map(proposer)),
      ...Object.fromEntries(amounts.slice(2).map((name) => [name, sum(part, name)])),
    },
    rewards: {
      validatorCount,
      ...Object.fromEntries(amounts.map((name) => [name, sum(part, name)])),
      sumConsensusRewards: consensus,
      sumExecutionRewards: execution,
      sumRewards: consensus + execution,
      ...balances,
    },
  };
}

function groupsOf(facts: Fact[], keyOf: (fact: Fact) => string): Fact[][] {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) groups.set(keyOf(fact), [...(groups.get(keyOf(fact)) ?? []), fact]);
  return [...groups.values()];
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');
function periodKeys(part: Fact[], days: number[], fine: boolean) {
  const startEpoch = Math.min(...part.map((fact) => fact.startEpoch));
  const endEpoch = Math.max(...part.map((fact) => fact.endEpoch));
  const [first, last] = [days[0] as number, days.at(-1) as number];
  return {
    day: fine ? first : null,
    startDay: fine ? null : first,
    endDay: fine ? null : last,
    startEpoch,
    endEpoch,
    startDate: fine ? null : dateOfDay(network, first),
    endDate: fine ? null : dateOfDay(network, last),
    date: fine ? dateOfDay(network, first) : null,
    startTimestamp: iso(epochStart(network, startEpoch)),
    endTimestamp: iso(epochStart(network, endEpoch + 1) - 12),
    startSlot: startEpoch * 32,
    endSlot: endEpoch * 32 + 31,
  };
}

/** Numbers that are summed in another order may differ in their last digits. */
function expectRow(found: any, wanted: any) {
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  for (const [name, value] of Object.entries(wanted)) {
    if (name.startsWith('avg') && value !== null) {
      expect(Math.abs(Number(found[name]) - (value as number)), name).toBeLessThanOrEqual(1e-9);
    } else
      expect(found[name] === null ? null : String(found[name]), name).toBe(
        value === null ? null : String(value),
      );
  }
}

describe('figures of a private set, against a plain loop over the days of its members', () => {
  let base = 1_000;

  it('with members added and removed in between, in both calendars and every granularity', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        base += 100;
        const own = base;
        const id = await play(told, own);
        const counted = spans(told.first, told.steps);
        for (const calendar of calendars) {
          const facts = told.facts
            .filter((fact) => fact.utc === (calendar === 'utc'))
            .filter((fact) => counted(fact.validatorIndex, dateOfDay(network, fact.day)))
            .sort((a, b) => a.day - b.day);
          for (const granularity of granularities) {
            if (granularity === 'hour') continue;
            const keyOf = ({ day }: Fact) => {
              if (granularity === 'day') return String(day);
              return granularity === 'all' ? '' : periodStart(granularity, dateOfDay(network, day));
            };
            const groups = groupsOf(facts, keyOf);
            for (const figure of ['attestations', 'effectiveness', 'proposals', 'rewards'] as const) {
              const path = `/v1/eth/sets/${id}/${figure}?limit=1000&granularity=${granularity}&utc=${calendar === 'utc'}`;
              const answer = await account.get(path);
              expect(answer.status, answer.text).toBe(200);
              const { results } = exact(answer.text);
              expect(results.length).toBe(groups.length);
              for (const [at, part] of groups.entries()) {
                const days = [...new Set(part.map((fact) => fact.day))];
                expectRow(results[at], {
                  id,
                  ...records(part, days)[figure],
                  ...periodKeys(part, days, granularity === 'day'),
                });
              }
            }
          }
        }
      }),
      { ...runs(12), endOnFailure: true },
    );
  });
});
