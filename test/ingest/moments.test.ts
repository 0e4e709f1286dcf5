import fc from 'fast-check';
import { parse } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportResource, importerOf, importers } from '../../src/ingest/importers/index.ts';
import { decode } from '../../src/kernel/decode.ts';
import { leafKind } from '../../src/kernel/leaves.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const figures = {
  validatorCount: 1,
  totalUniqueAttestations: 225,
  sumMissedAttestations: 0,
  sumCorrectHead: 225,
  sumCorrectTarget: 225,
  sumCorrectSource: 225,
  sumWrongHeadVotes: 0,
  sumWrongTargetVotes: 0,
  sumLateTargetVotes: 0,
  sumLateSourceVotes: 0,
  avgAttesterEffectiveness: 100,
  sumInclusionDelay: 225,
  sumEndEpochBalance: 32_000_000_000,
  sumEndEpochEffectiveBalance: 32_000_000_000,
};
const rewards = { sumConsensusRewards: 1, sumExecutionRewards: 2, sumPriorityFees: 1, sumBaselineMev: 1 };
const counts = { stakeAccountCount: 9, withdrawAuthorityCount: 9, stakeAuthorityCount: 9 };

/** For each import with timestamps: a row, and the right timestamp of each field. */
const rows: Partial<
  Record<ImportResource, { row: Record<string, unknown>; moments: Record<string, string> }>
> = {
  attestations: {
    row: { ...figures, id: 'A', entityType: 'pool', day: 1_400, startEpoch: 315_000, endEpoch: 315_224 },
    moments: { startTimestamp: '2024-10-01T12:00:23Z', endTimestamp: '2024-10-02T12:00:11Z' },
  },
  blocks: {
    row: { consensusSlot: 12_000_000, validatorIndex: 7, consensusProposerDuty: 'missed' },
    moments: { blockTimestamp: '2025-06-25T04:00:23Z' },
  },
  'chain-daily-rewards': {
    row: { ...rewards, day: 1_700 },
    moments: { startTimestamp: '2025-07-28T12:00:23Z', endTimestamp: '2025-07-29T12:00:11Z' },
  },
  consolidations: {
    row: {
      epoch: 380_000,
      sourceValidatorIndex: 1,
      sourceValidatorPubkey: `0x${'a'.repeat(96)}`,
      targetValidatorIndex: 2,
      targetValidatorPubkey: `0x${'b'.repeat(96)}`,
      consolidatedBalance: 32_000_000_000,
    },
    moments: { timestamp: '2025-07-17T09:20:23Z' },
  },
  'sync-committee-rewards': {
    row: { consensusSlot: 12_000_000, validatorIndex: 7, syncCommitteeRewards: '100' },
    moments: { blockTimestamp: '2025-06-25T04:00:23Z' },
  },
  'solana-epochs': {
    row: { ...counts, epoch: 700 },
    moments: { startedAt: '2024-11-15T01:00:00Z', endedAt: '2024-11-17T01:00:00Z' },
  },
};
const resources = Object.keys(rows) as ImportResource[];

const two = (value: number) => String(value).padStart(2, '0');
/** The same moment in another form: of what separator, how many zeros as a fraction, and how far from UTC; null names no zone. */
const formed = (
  moment: string,
  [separator, zeros, minutes, colon]: [string, number, number | null, boolean],
) => {
  const local = new Date(Date.parse(moment) + (minutes ?? 0) * 60_000).toISOString();
  const size = Math.abs(minutes ?? 0);
  const offset = `${(minutes ?? 0) < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${colon ? ':' : ''}${two(size % 60)}`;
  const fraction = zeros > 0 ? `.${'0'.repeat(zeros)}` : '';
  return `${local.slice(0, 10)}${separator}${local.slice(11, 19)}${fraction}${minutes === null ? '' : offset}`;
};
const forms = fc.tuple(
  fc.constantFrom('T', 't', ' '),
  fc.nat(12),
  fc.option(fc.integer({ min: -1_439, max: 1_439 })),
  fc.boolean(),
);
const written = ['Z', 'z', '+00:00', '-00:00', '+00', '.000Z', '.000000000000+00:00', ''];

describe.each(resources)('an import of %s', (resource) => {
  const importer = importerOf(resource);
  const { row, moments } = rows[resource] as NonNullable<(typeof rows)[ImportResource]>;
  const check = (change: Record<string, unknown>) =>
    importer.check(parse(JSON.stringify({ ...row, ...moments, ...change })), { network: 'mainnet' });
  const faults = (change: Record<string, unknown>) =>
    check(change).error?.issues.map((issue) => issue.path.join('.')) ?? [];

  it.each(Object.keys(moments))('takes %s in every form, for the same moment', (field) => {
    const right = moments[field] as string;
    const stored = JSON.stringify(check({}));
    for (const zone of written) {
      for (const separator of ['T', 't', ' ']) {
        const given = right.replace('T', separator).replace('Z', zone);
        expect([given, JSON.stringify(check({ [field]: given }))]).toEqual([given, stored]);
      }
    }
    fc.assert(
      fc.property(forms, (form) => {
        expect(JSON.stringify(check({ [field]: formed(right, form) }))).toBe(stored);
      }),
      { numRuns: 50 },
    );
  });

  it.each(Object.keys(moments))('refuses what is no moment as %s, and says what is', (field) => {
    for (const given of ['', 'today', '2025-06-25', '2025-06-25T04:00Z', '2025-02-30T00:00:00Z', true]) {
      const issues = check({ [field]: given }).error?.issues ?? [];
      expect(issues.map((issue) => issue.path)).toEqual([[field]]);
      expect(issues[0]?.message).toMatch(/^must be a moment like 2024-03-31T12:00:23Z; an offset/);
    }
  });

  // An epoch of Solana begins when it begins: nothing else in its row has the time.
  if (resource === 'solana-epochs') return;
  it('refuses a moment that contradicts its slot, epoch or day', () => {
    for (const [field, right] of Object.entries(moments)) {
      for (const given of [
        right.replace('Z', '+01:00'),
        right.replace('Z', '.5Z'),
        formed(right, [' ', 0, 61, true]).slice(0, -6),
      ]) {
        expect([given, faults({ [field]: given })]).toEqual([given, [field]]);
      }
    }
  });
});

it('names every import whose rows tell moments', () => {
  const telling = Object.entries(importers)
    .filter(([, { shape }]) => Object.values(shape.shape).some((field) => leafKind(field) === 'DateTime'))
    .map(([name]) => name);
  expect(telling.toSorted()).toEqual(resources.toSorted());
});

describe('moments that were loaded in another form', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
  });
  afterAll(() => gateway.close());

  it.each([
    ['attestations', '/v1/eth/entities/A/attestations?entityType=pool'],
    ['blocks', '/v0/eth/blocks'],
    ['chain-daily-rewards', '/v0/eth/network/chainDailyRewards'],
    ['consolidations', '/v1/eth/validators/consolidations'],
    ['sync-committee-rewards', '/v0/eth/blocks/12000000/syncCommitteeRewards'],
  ] as const)('of %s are answered in UTC and end in Z', async (resource, path) => {
    const { row, moments } = rows[resource] as NonNullable<(typeof rows)[ImportResource]>;
    const given = Object.fromEntries(
      Object.entries(moments).map(([field, right]) => [field, formed(right, [' ', 3, 90, true])]),
    );
    const report = await importText(gateway, resource, JSON.stringify([{ ...row, ...given }]));
    expect(report).toMatchObject({ faults: [], inserted: 1 });
    const { json } = await gateway.get(path);
    expect((json.data ?? json.results)[0]).toMatchObject(moments);
  });

  it('keep the fraction of a second where they are stored', async () => {
    const { row } = rows['solana-epochs'] as NonNullable<(typeof rows)[ImportResource]>;
    const moments = { startedAt: '2024-11-15 03:00:00.250+02', endedAt: '2024-11-17T01:00:00' };
    const report = await importText(gateway, 'solana-epochs', JSON.stringify([{ ...row, ...moments }]));
    expect(report).toMatchObject({ faults: [], inserted: 1 });
    const text = `select to_char(started_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.MS') as started,
      extract(epoch from ended_at)::int as ended from solana_epochs`;
    const { rows: stored } = await gateway.database.pool.query({ text, values: [] });
    expect(stored).toEqual([
      { started: '2024-11-15 01:00:00.250', ended: Date.parse('2024-11-17T01:00:00Z') / 1000 },
    ]);
  });
});

it('leaves a text that is no moment for the check', () => {
  const shape = importerOf('consolidations').shape;
  expect(decode(shape, { timestamp: '2025-07-17' })).toMatchObject({ timestamp: '2025-07-17' });
});
