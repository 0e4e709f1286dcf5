import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/rows.ts';
import * as figure from '../../src/periods/effectiveness.ts';
import { exact } from '../support/exact.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import {
  addressOf,
  block,
  type Day,
  load,
  pubkeyOf,
  published,
  randomDay,
  refreshed,
  revisions,
  validator,
  validatorDay,
} from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const clear = () =>
  gateway.database.pool.query({
    text: `truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, validator_clients, operator_profiles, blocks, chain_balances,
      operator_summaries, operator_lists, operator_series, operator_history, operator_history_days,
      datasets cascade`,
    values: [],
  });
beforeEach(clear);

const only = { only: ['operators'] as const };
const VALIDATORS = 8;
const FIRST = 1_400;
type Validator = {
  validatorIndex: number;
  depositAddress: string;
  withdrawalAddress: string | null;
  nodeOperator: string | null;
  pool: string | null;
  activationEpoch: number | null;
  exitEpoch: number | null;
};
const owner = (index: number): fc.Arbitrary<Validator> =>
  fc.record({
    validatorIndex: fc.constant(index),
    depositAddress: fc.nat(2).map(addressOf),
    withdrawalAddress: fc.option(fc.nat(1).map((at) => addressOf(at + 10))),
    nodeOperator: fc.option(fc.constantFrom('N', 'Ñ')),
    pool: fc.option(fc.constantFrom('P', 'Q')),
    activationEpoch: fc.option(fc.constantFrom(0, FIRST * 225, (FIRST + 100) * 225 + 1)),
    exitEpoch: fc.constant(null),
  });
const manyDays = [...Array(110).keys()].map((at) => FIRST + at);
const story = fc
  .record({
    // more than 90 days, some of them missing
    days: fc.oneof(fc.constant(manyDays), fc.subarray(manyDays, { minLength: 1 })),
    validators: fc.tuple(...Array.from({ length: VALIDATORS }, (_, index) => owner(index))),
    sparse: fc.array(fc.boolean(), { minLength: VALIDATORS, maxLength: VALIDATORS }),
    clients: fc.array(fc.option(fc.constantFrom('Prysm', 'Teku')), {
      minLength: VALIDATORS,
      maxLength: VALIDATORS,
    }),
    blocks: fc.uniqueArray(
      fc.record({
        consensusSlot: fc.integer({ min: FIRST * 7_200, max: (FIRST + 112) * 7_200 }),
        validatorIndex: fc.nat(VALIDATORS - 1),
        relays: fc.subarray(['flashbots', 'agnostic', 'manifold']),
      }),
      { selector: (block) => block.consensusSlot, maxLength: 40 },
    ),
    chain: fc.option(fc.integer({ min: 1, max: 30_000 })),
  })
  .chain((told) =>
    fc
      .tuple(
        ...told.days.flatMap((day) =>
          told.validators.map(({ validatorIndex: index }) =>
            told.sparse[index] ? fc.option(randomDay(index, day)) : randomDay(index, day),
          ),
        ),
      )
      .map((facts) => ({ ...told, facts: facts.filter((fact) => fact !== null) as Day[] })),
  );

const total = (facts: readonly Day[], of: (fact: Day) => number) =>
  facts.reduce((sum, fact) => sum + BigInt(of(fact)), 0n);
const mean = (values: (number | null)[]) => {
  const there = values.filter((value) => value !== null) as number[];
  return there.length === 0 ? null : there.reduce((sum, value) => sum + value, 0) / there.length;
};

/** One validator's figures over all of its days. */
function figures(facts: readonly Day[]) {
  const of = (name: keyof Day) => facts.reduce((sum, fact) => sum + (fact[name] as number), 0);
  const attested = of('totalUniqueAttestations');
  const uptime = attested / (attested + of('sumMissedAttestations'));
  const votes = of('sumCorrectHead') + of('sumCorrectTarget') + of('sumCorrectSource');
  const correctness = attested === 0 ? null : votes / (3 * attested);
  const delay = attested === 0 ? null : of('sumInclusionDelay') / attested;
  const attester = attested === 0 ? 0 : (100 * uptime * (correctness as number)) / (delay as number);
  const due = of('proposedCount') + of('missedProposalCount');
  const effectiveness =
    due === 0 ? attester : (5 / 8) * attester + (3 / 8) * ((100 * of('proposedCount')) / due);
  return { uptime, correctness, delay, effectiveness };
}

const sorted = (parts: Map<string, number>, name: string) => {
  const sum = [...parts.values()].reduce((all, value) => all + value, 0);
  return Object.fromEntries([...parts].map(([key, value]) => [`${name} ${key}`, value / sum]));
};

/** The summaries of a window, computed by the documented rules: with plain loops. */
function reference(told: Awaited<ReturnType<typeof drawn>>, count: number) {
  const days = [...new Set(told.facts.map((fact) => fact.day))].sort((a, b) => a - b).slice(-count);
  const last = days.at(-1) as number;
  const aprDays = days.slice(-90);
  const inside = told.facts.filter((fact) => days.includes(fact.day));
  const atEnd = inside.filter((fact) => fact.day === last);
  const effective = (fact: Day) => fact.endEpochEffectiveBalance;
  const known = BigInt(told.chain ?? 0) * 1_000_000_000n;
  // Without a chain balance it is the sum of all validators: those with a day have to be all that were active on it.
  const active = told.validators.filter(
    (v) => (v.activationEpoch ?? Number.POSITIVE_INFINITY) < (last + 1) * 225,
  );
  const everyone =
    atEnd.length === active.length &&
    atEnd.every((fact) => active.some((v) => v.validatorIndex === fact.validatorIndex));
  const sum = total(atEnd, effective);
  const chain = known > sum ? known : told.chain || everyone ? sum : 0n;
  const expected = new Map<string, any>();
  const groups: [string, (v: Validator) => string | null][] = [
    ['depositAddress', (v) => v.depositAddress],
    ['withdrawalAddress', (v) => v.withdrawalAddress],
    ['nodeOperator', (v) => v.nodeOperator],
    ['pool', (v) => v.pool],
    ['poolShare', (v) => (v.pool && v.nodeOperator ? `${v.pool} - ${v.nodeOperator}` : null)],
    ['validator', (v) => String(v.validatorIndex)],
  ];
  for (const [idType, idOf] of groups) {
    for (const id of new Set(told.validators.map(idOf))) {
      const own = told.validators.filter((validator) => idOf(validator) === id);
      const there = own.filter((v) => inside.some((fact) => fact.validatorIndex === v.validatorIndex));
      if (id === null || there.length === 0) continue;
      const mine = (facts: Day[]) =>
        facts.filter((fact) => own.some((v) => v.validatorIndex === fact.validatorIndex));
      const each = there.map((v) =>
        figures(inside.filter((fact) => fact.validatorIndex === v.validatorIndex)),
      );
      const earning = mine(inside.filter((fact) => aprDays.includes(fact.day)));
      const rewards = total(
        earning,
        (f) => f.sumAttestationRewards + f.sumProposerRewards + f.sumPriorityFees + f.sumBaselineMev,
      );
      const [relays, clients] = [new Map<string, number>(), new Map<string, number>()];
      for (const { consensusSlot, validatorIndex, relays: via } of told.blocks) {
        const day = Math.floor(consensusSlot / 7_200);
        if (
          day < (days[0] as number) ||
          day > last ||
          !there.some((v) => v.validatorIndex === validatorIndex)
        )
          continue;
        for (const relay of via.length === 0 ? ['no_mev_boost'] : via)
          relays.set(relay, (relays.get(relay) ?? 0) + 1 / Math.max(via.length, 1));
      }
      for (const { validatorIndex } of there) {
        const client = told.clients[validatorIndex];
        if (client) clients.set(client, (clients.get(client) ?? 0) + 1);
      }
      const operators = new Set(there.map((v) => v.nodeOperator).filter(Boolean)).size;
      expected.set(`${idType} ${id}`, {
        validatorCount: mine(atEnd).length,
        avgCorrectness: mean(each.map((one) => one.correctness)) ?? 0,
        avgInclusionDelay: mean(each.map((one) => one.delay)),
        avgUptime: mean(each.map((one) => one.uptime)),
        avgValidatorEffectiveness: mean(each.map((one) => one.effectiveness)),
        networkPenetration: chain === 0n ? null : Number(total(mine(atEnd), effective)) / Number(chain),
        aprPercentage:
          earning.length === 0
            ? null
            : (36_500 * 225 * Number(rewards)) /
              Number(total(earning, (fact) => Number(fact.effectiveBalanceEpochs))),
        nodeOperatorCount: idType === 'pool' && operators > 0 ? operators : null,
        proposerDutyCount: String(
          total(mine(inside), (fact) => fact.proposedCount + fact.missedProposalCount),
        ),
        missedProposalCount: String(total(mine(inside), (fact) => fact.missedProposalCount)),
        sumEndEpochBalance: String(total(mine(atEnd), (fact) => fact.endEpochBalance)),
        sumEndEpochEffectiveBalance: String(total(mine(atEnd), effective)),
        ...sorted(relays, 'relayer'),
        ...sorted(clients, 'client'),
      });
    }
  }
  return expected;
}

/** A story with its facts stored. */
async function drawn(told: typeof story extends fc.Arbitrary<infer T> ? T : never) {
  await clear();
  const slashed = { slashed: false };
  await load(
    gateway,
    'validators',
    told.validators.map((v) => ({ ...v, ...slashed, validatorPubkey: pubkeyOf(v.validatorIndex) })),
  );
  await load(gateway, 'validator-days', told.facts);
  await load(gateway, 'blocks', told.blocks.map(block));
  const clients = told.clients.flatMap((client, validatorIndex) =>
    client ? [{ validatorIndex, client }] : [],
  );
  await load(gateway, 'validator-clients', clients);
  const last = Math.max(...told.facts.map((fact) => fact.day));
  if (told.chain && told.facts.length > 0) {
    const balance = (epoch: number, eth: number) => ({ epoch, totalActiveBalance: eth * 1_000_000_000 });
    await load(gateway, 'chain-balances', [
      balance(last * 225 - 800, told.chain * 3), // an older one
      balance(last * 225 + 224 - (told.chain % 700), told.chain), // of the last day, or of one shortly before
      balance((last + 1) * 225, told.chain * 3), // after the window
    ]);
  }
  return told;
}

const windows = { '1d': 'ONE_DAY', '7d': 'SEVEN_DAYS', '30d': 'THIRTY_DAYS', all: 'ALL' };
/** By operator; only GraphQL has them. */
async function proposalsOf(window: keyof typeof windows, idType: string): Promise<Map<string, object>> {
  const name = windows[window];
  const { data } = await gateway.graphql(`{ operators(window: ${name}, first: 200,
    idType: ${idType.replace(/[A-Z]/g, '_$&').toUpperCase()}) { nodes { operatorId
      summary(window: ${name}) { proposerDutyCount missedProposalCount } } } }`);
  return new Map(data.operators.nodes.map(({ operatorId, summary }: any) => [operatorId, summary]));
}

const flat = (row: any) => ({
  ...row,
  ...Object.fromEntries(row.relayerPercentages.map((one: any) => [`relayer ${one.relayer}`, one.percentage])),
  ...Object.fromEntries(row.clientPercentages.map((one: any) => [`client ${one.client}`, one.percentage])),
});

describe('operator summaries of a refresh', () => {
  slow('are what plain loops over the days of their validators give, in every class and window', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        const told = await drawn(given);
        await refreshed(gateway, {
          ...only,
          networks: ['mainnet'],
          types: ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool', 'poolShare', 'validator'],
        });
        for (const [window, count] of [
          ['1d', 1],
          ['7d', 7],
          ['30d', 30],
          ['all', 1_000],
        ] as const) {
          const wanted = told.facts.length === 0 ? new Map() : reference(told, count);
          const found = new Map<string, any>();
          for (const idType of [
            'depositAddress',
            'withdrawalAddress',
            'nodeOperator',
            'pool',
            'poolShare',
            'validator',
          ]) {
            const { text } = await gateway.get(
              `/v0/eth/operators?window=${window}&idType=${idType}&size=200`,
            );
            const proposals = await proposalsOf(window, idType);
            for (const row of exact(text).data ?? [])
              found.set(`${idType} ${row.id}`, { ...flat(row), ...proposals.get(row.id) });
          }
          expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
          for (const [name, row] of wanted) {
            const parts = Object.keys(found.get(name)).filter((field) => /^(relayer|client) /.test(field));
            expect(parts.sort()).toEqual(
              Object.keys(row)
                .filter((field) => /^(relayer|client) /.test(field))
                .sort(),
            );
            for (const [field, value] of Object.entries(row)) {
              const got = found.get(name)[field];
              if (typeof value !== 'number' || Number.isInteger(value))
                expect(got, `${name} ${field}`).toEqual(value);
              else
                expect(Math.abs(got - value), `${name} ${field}: ${got}, ${value}`).toBeLessThanOrEqual(
                  1e-12 * Math.max(1, Math.abs(value)),
                );
            }
          }
        }
        const [rows, raised] = [await published(gateway), await revisions(gateway)];
        await refreshed(gateway, { ...only, types: ['depositAddress', 'pool', 'validator', 'poolShare'] });
        expect(await published(gateway)).toEqual(rows);
        expect(await revisions(gateway)).toEqual(raised);
      }),
      { ...runs(12), endOnFailure: true },
    );
  });

  it('have the effectiveness that is recorded of uptime 1, correctness 0.9925925925925926, delay 1.0044444444444445', async () => {
    const { text, values } = sql`select ${figure.uptime} as uptime, ${figure.correctness} as correctness,
      ${figure.inclusionDelay} as delay, ${figure.effectiveness} as effectiveness
      from (values (225, 0, 220, 225, 225, 226, 0, 0)) a (total_unique_attestations, sum_missed_attestations,
        sum_correct_head, sum_correct_target, sum_correct_source, sum_inclusion_delay, proposed_count, missed_proposal_count)`;
    expect((await gateway.database.pool.query({ text, values })).rows).toEqual([
      {
        uptime: 1,
        correctness: 0.9925925925925926,
        delay: 1.0044444444444445,
        effectiveness: 98.82005899705014,
      },
    ]);
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [
      validatorDay(1, 1_500, { sumCorrectHead: 220, sumInclusionDelay: 226 }),
    ]);
    await refreshed(gateway, only);
    const { json } = await gateway.get(`/v0/eth/operators/P/summary?window=1d`);
    expect(json.avgValidatorEffectiveness).toBeCloseTo(98.82005899705014, 12);
  });

  it('have shares of relays from blocks whose relays are known only', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
    const slots = [0, 1, 2].map((n) => 1_500 * 7_200 + n);
    const relays = [['flashbots'], [], []];
    await load(
      gateway,
      'blocks',
      slots.map((consensusSlot, n) =>
        block({ consensusSlot, validatorIndex: 1, relays: relays[n] as string[] }),
      ),
    );
    await gateway.database.pool.query({
      text: 'update blocks set relays = null where slot = $1',
      values: [slots[2]],
    });
    await refreshed(gateway, only);
    const { json } = await gateway.get(`/v0/eth/operators/P/summary?window=1d`);
    expect(json.relayerPercentages).toEqual([
      { relayer: 'flashbots', percentage: 0.5 },
      { relayer: 'no_mev_boost', percentage: 0.5 },
    ]);
  });
});
