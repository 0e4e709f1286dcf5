import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import { type Day, load, randomDay, refreshed, syncDay, validator, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const query = (text: string) => gateway.database.pool.query({ text, values: [] });
beforeEach(() =>
  query(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, operator_profiles, operator_summaries, operator_lists,
    attestation_entities, attestation_days, attestation_hours, datasets cascade`),
);

const DAY = 1_500;
const only = { only: ['attestations', 'operators'] as const, networks: ['mainnet'] as const };

const fields = {
  effectiveness:
    'validatorCount avgCorrectness avgInclusionDelay avgUptime avgAttesterEffectiveness avgProposerEffectiveness avgValidatorEffectiveness',
  proposals:
    'validatorCount proposerDutyCount proposedCount missedProposalCount emptyPayloadCount avgProposerEffectiveness sumProposerRewards sumPriorityFees sumBaselineMev',
  rewards:
    'validatorCount sumAttestationRewards sumSyncCommitteeRewards sumProposerRewards sumConsensusRewards sumPriorityFees sumBaselineMev sumExecutionRewards sumRewards',
};
const all = (args: string) =>
  Object.entries(fields)
    .map(([name, selected]) => `${name}(${args}) { nodes { day startDay startEpoch endEpoch ${selected} } }`)
    .join(' ');

const duties = (fact: Day) => fact.totalUniqueAttestations + fact.sumMissedAttestations;

/** The figures of some validators' days, computed with plain loops by the formulas of docs/data-model.md. */
function reference(facts: readonly Day[]) {
  const last = Math.max(...facts.map(({ day }) => day));
  const dutiful = facts.filter((fact) => duties(fact) > 0);
  const mean = (values: (number | null)[], of = values.filter((value) => value !== null).length) =>
    of === 0 ? null : values.reduce((sum: number, value) => sum + (value ?? 0), 0) / of;
  const uptime = (fact: Day) => fact.totalUniqueAttestations / duties(fact);
  const correctness = (fact: Day) =>
    fact.totalUniqueAttestations === 0
      ? null
      : (fact.sumCorrectHead + fact.sumCorrectTarget + fact.sumCorrectSource) /
        (3 * fact.totalUniqueAttestations);
  const delay = (fact: Day) =>
    fact.totalUniqueAttestations === 0 ? null : fact.sumInclusionDelay / fact.totalUniqueAttestations;
  const attester = (fact: Day) => (100 * uptime(fact) * (correctness(fact) ?? 0)) / (delay(fact) ?? 1);
  const due = (fact: Day) => fact.proposedCount + fact.missedProposalCount;
  const proposer = (fact: Day) => (due(fact) === 0 ? null : (100 * fact.proposedCount) / due(fact));
  const both = (fact: Day) =>
    proposer(fact) === null ? attester(fact) : 0.625 * attester(fact) + 0.375 * (proposer(fact) as number);
  const sum = (...names: (keyof Day)[]) =>
    String(
      facts.reduce((total, fact) => total + names.reduce((part, name) => part + Number(fact[name]), 0), 0),
    );
  return {
    validatorCount: dutiful.filter(({ day }) => day === last).length,
    avgCorrectness: mean(dutiful.map(correctness)),
    avgInclusionDelay: mean(dutiful.map(delay)),
    avgUptime: mean(dutiful.map(uptime)) ?? 0,
    avgAttesterEffectiveness: mean(dutiful.map(attester)) ?? 0,
    avgProposerEffectiveness: mean(facts.map(proposer)),
    avgValidatorEffectiveness: mean(dutiful.map(both)) ?? 0,
    proposerDutyCount: sum('proposedCount', 'missedProposalCount'),
    proposedCount: sum('proposedCount'),
    missedProposalCount: sum('missedProposalCount'),
    emptyPayloadCount: facts.every((fact) => fact.emptyPayloadCount === null)
      ? null
      : sum('emptyPayloadCount'),
    sumAttestationRewards: sum('sumAttestationRewards'),
    sumSyncCommitteeRewards: sum('sumSyncCommitteeRewards'),
    sumProposerRewards: sum('sumProposerRewards'),
    sumConsensusRewards: sum('sumAttestationRewards', 'sumSyncCommitteeRewards', 'sumProposerRewards'),
    sumPriorityFees: sum('sumPriorityFees'),
    sumBaselineMev: sum('sumBaselineMev'),
    sumExecutionRewards: sum('sumPriorityFees', 'sumBaselineMev'),
    sumRewards: sum(
      ...(['sumAttestationRewards', 'sumSyncCommitteeRewards', 'sumProposerRewards'] as const),
      ...(['sumPriorityFees', 'sumBaselineMev'] as const),
    ),
  };
}

const matches = (row: Record<string, unknown>, wanted: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(wanted)) {
    if (!(name in row)) continue;
    if (typeof value === 'number' && name.startsWith('avg')) expect(row[name], name).toBeCloseTo(value, 9);
    else expect(row[name], name).toBe(value);
  }
};

const story = fc
  .tuple(
    ...[0, 1, 2, 3].map((index) =>
      fc.record({
        pool: fc.constantFrom('P', 'P', 'Q'),
        days: fc.tuple(
          ...[DAY, DAY + 1, DAY + 9].map((day) =>
            fc.option(
              fc.oneof(
                { weight: 5, arbitrary: randomDay(index, day) },
                { weight: 1, arbitrary: fc.constant(syncDay(index, day)) },
              ),
            ),
          ),
        ),
      }),
    ),
  )
  .map((told) => ({
    validators: told.map(({ pool }, index) => validator(index, { pool })),
    facts: told.flatMap(({ days }) => days.filter((day) => day !== null) as Day[]),
  }));

describe('effectiveness, proposals and rewards', () => {
  it('of operators and of single validators are what plain loops over their days give', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ validators, facts }) => {
        await query(
          'truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, attestation_entities, attestation_days, attestation_hours, operator_summaries, operator_lists cascade',
        );
        await load(gateway, 'validators', validators);
        await load(gateway, 'validator-days', facts);
        await refreshed(gateway, only);
        const owners = [
          ...['P', 'Q'].map((pool) => ({
            root: `operator(operatorId: "${pool}", idType: POOL)`,
            facts: facts.filter(({ validatorIndex }) => validators[validatorIndex]?.pool === pool),
          })),
          ...validators.map(({ validatorIndex }) => ({
            root: `validator(by: { index: ${validatorIndex} })`,
            facts: facts.filter((fact) => fact.validatorIndex === validatorIndex),
          })),
        ];
        for (const owner of owners) {
          for (const granularity of ['DAY', 'MONTH', 'ALL']) {
            const { data, errors } = await gateway.graphql(
              `{ it: ${owner.root} { ${all(`granularity: ${granularity}, orderBy: { field: PERIOD, direction: ASC }, first: 50`)} } }`,
            );
            expect(errors).toBeUndefined();
            // An operator whose validators had no duties has no summary.
            if (data.it === null && owner.facts.every((fact) => duties(fact) === 0)) continue;
            const days = [...new Set(owner.facts.map(({ day }) => day))].sort();
            const parts = granularity === 'DAY' ? days.map((day) => [day]) : days.length > 0 ? [days] : [];
            for (const name of Object.keys(fields)) {
              const { nodes } = data.it[name];
              expect(nodes, `${owner.root} ${name}`).toHaveLength(parts.length);
              parts.forEach((part, at) => {
                const own = owner.facts.filter(({ day }) => part.includes(day));
                matches(nodes[at], reference(own));
                expect(nodes[at].day ?? nodes[at].startDay).toBe(part[0]);
              });
            }
          }
        }
      }),
      { ...runs(6), endOnFailure: true },
    );
  });

  it('of a validator include its attestations, in each calendar', async () => {
    await load(gateway, 'validators', [validator(1)]);
    const missed = { totalUniqueAttestations: 200, sumMissedAttestations: 25, sumInclusionDelay: 250 };
    const votes = { sumCorrectHead: 190, sumCorrectTarget: 200, sumCorrectSource: 200 };
    await load(gateway, 'validator-days', [
      validatorDay(1, DAY, { ...missed, ...votes }),
      syncDay(1, DAY + 1),
    ]);
    const utc = { startEpoch: DAY * 225 - 111, endEpoch: DAY * 225 + 112 };
    const all = {
      totalUniqueAttestations: 224,
      sumCorrectHead: 224,
      sumCorrectTarget: 224,
      sumCorrectSource: 224,
    };
    await load(
      gateway,
      'validator-days',
      [validatorDay(1, DAY, { ...utc, ...all, sumInclusionDelay: 224 })],
      {
        utc: true,
      },
    );
    const { data } = await gateway.graphql(`{ validator(by: { index: 1 }) {
      attestations { totalCount nodes { operatorId id day totalUniqueAttestations sumMissedAttestations validatorCount
        avgAttesterEffectiveness sumSyncSignatureCount sumEndEpochBalance } }
      utc: attestations(utc: true) { nodes { day totalUniqueAttestations } }
      hours: attestations(granularity: HOUR) { totalCount }
      worst: effectiveness(orderBy: { field: AVG_UPTIME, direction: ASC }, first: 1) { nodes { day avgUptime } pageInfo { hasNextPage } }
      rewards(fromDay: ${DAY + 1}, toDay: ${DAY + 1}) { nodes { operatorId sumSyncCommitteeRewards } } } }`);
    const { nodes, totalCount } = data.validator.attestations;
    expect(totalCount).toBe(2);
    expect(nodes).toMatchObject([
      { day: DAY + 1, validatorCount: 0, sumSyncSignatureCount: '7000', sumEndEpochBalance: '0' },
      {
        ...{ operatorId: '1', day: DAY, totalUniqueAttestations: '200', sumMissedAttestations: '25' },
        ...{ validatorCount: 1, sumSyncSignatureCount: null, sumEndEpochBalance: '32000000000' },
        avgAttesterEffectiveness: expect.closeTo((100 * (200 / 225) * (590 / 600)) / 1.25, 9),
      },
    ]);
    expect(new Set(nodes.map((row: any) => row.id)).size).toBe(2);
    expect(data.validator.utc.nodes).toEqual([{ day: DAY, totalUniqueAttestations: '224' }]);
    expect(data.validator.hours.totalCount).toBe(0);
    expect(data.validator.worst).toEqual({
      nodes: [{ day: DAY + 1, avgUptime: 0 }],
      pageInfo: { hasNextPage: true },
    });
    expect(data.validator.rewards.nodes).toEqual([{ operatorId: '1', sumSyncCommitteeRewards: '150000000' }]);
  });

  slow('of published attestations alone are empty, and again once they replace computed days', async () => {
    const [first, second] = [DAY, DAY + 1];
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, first), validatorDay(1, second)]);
    await refreshed(gateway, only);
    const days = async (id: string) => {
      const { data } = await gateway.graphql(
        `{ operator(operatorId: "${id}", idType: POOL) { attestations { nodes { day } }
          rewards { totalCount nodes { day } } } }`,
      );
      const { attestations, rewards } = data.operator;
      return [attestations.nodes.length, rewards.totalCount, rewards.nodes.map((row: any) => row.day)];
    };
    expect(await days('P')).toEqual([2, 2, [second, first]]);
    const { json } = await gateway.get('/v1/eth/entities/P/attestations?entityType=pool&limit=1');
    await load(gateway, 'attestations', json.results, { idType: 'pool' });
    expect(await days('P')).toEqual([2, 1, [second]]);
    await refreshed(gateway, { ...only, allDays: true });
    expect(await days('P')).toEqual([2, 2, [second, first]]);
  });
});

describe('pages', () => {
  slow('of operators and validators take one statement for each of their figures', async () => {
    const indices = Array.from({ length: 30 }, (_, index) => index);
    await load(
      gateway,
      'validators',
      indices.map((index) => validator(index, { nodeOperator: `N${index}` })),
    );
    await load(
      gateway,
      'validator-days',
      indices.flatMap((index) => [validatorDay(index, DAY), validatorDay(index, DAY + 1)]),
    );
    await refreshed(gateway, only);
    const figures =
      'effectiveness(first: 5) { nodes { avgUptime } } proposals { totalCount } rewards(first: 1) { nodes { id sumRewards } } attestations(first: 2) { nodes { day } }';
    gateway.statements.length = 0;
    const operators = await gateway.graphql(
      `{ operators(window: ALL, idType: NODE_OPERATOR, first: 30) { nodes { ${figures} } } }`,
    );
    expect(operators.errors).toBeUndefined();
    expect(operators.data.operators.nodes).toHaveLength(30);
    expect([...gateway.statements].sort()).toEqual([
      'attestationPages',
      'operatorEffectiveness',
      'operatorPages',
      'operatorProposals',
      'operatorRewards',
    ]);
    gateway.statements.length = 0;
    const validators = await gateway.graphql(
      `{ operator(operatorId: "P", idType: POOL) { validators(first: 30) { nodes { ${figures} } } } }`,
    );
    expect(validators.errors).toBeUndefined();
    expect(validators.data.operator.validators.nodes).toHaveLength(30);
    expect(validators.data.operator.validators.nodes[7].rewards.nodes[0].sumRewards).toBe('2500000');
    expect([...gateway.statements].sort()).toEqual([
      ...['operatorValidatorPages', 'operatorsById', 'validatorAttestationPages', 'validatorEffectiveness'],
      ...['validatorProposals', 'validatorRewards'],
    ]);
  });

  it('are refused if they are too large, or ask for more rows than a document may', async () => {
    const size = await gateway.graphql(
      '{ validator(by: { index: 1 }) { rewards(first: 1001) { totalCount } } }',
    );
    expect(size.errors).toBeUndefined(); // no such validator
    await load(gateway, 'validators', [validator(1)]);
    const refused = await gateway.graphql(
      '{ validator(by: { index: 1 }) { rewards(first: 1001) { totalCount } } }',
    );
    expect(refused.errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', 'first'] }],
    });
    const many = await gateway.graphql(
      '{ operator(operatorId: "P", idType: POOL) { validators(first: 200) { nodes { rewards(first: 101) { nodes { day } } } } } }',
    );
    expect(many.errors?.[0].extensions.code).toBe('QUERY_LIMIT');
  });
});
