import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowOptions } from '../../src/ingest/importer/importer.ts';
import { type ImportResource, importerOf } from '../../src/ingest/importers/index.ts';
import { copyLines } from '../../src/ingest/merge/staging.ts';
import { quickLines } from '../../src/ingest/quick/index.ts';
import { jsonLayout } from '../../src/ingest/quick/split.ts';
import { csvRows } from '../../src/ingest/source/csv.ts';
import { documentRows } from '../../src/ingest/source/documents.ts';
import { jsonLines } from '../../src/ingest/source/lines.ts';
import { readRows, SourceError } from '../../src/ingest/source/source.ts';
import { cardano, hashOfPoolId } from '../../src/resources/network-rewards/networks/cardano.ts';
import { pubkeyOf, validator, validatorDay } from '../refresh/facts.ts';
import { runs } from '../support/thorough.ts';
import { builder, slashing } from './rows.ts';

type Row = Record<string, unknown>;
/** Quotes are in some cells of `csv`, and around all of `quoted`. `element` and `pretty` are elements of arrays. */
const forms = ['csv', 'quoted', 'compact', 'spaced', 'element', 'pretty'] as const;
type Form = (typeof forms)[number];

const bases: [resource: ImportResource, row: Row][] = [
  ['validator-days', validatorDay(7, 1_500, { network: 'mainnet', utc: false, date: '2025-01-09' })],
  [
    'attestations',
    {
      ...{ id: 'Pool 7', network: 'mainnet', calendar: 'chain', entityType: 'pool', validatorCount: 9 },
      ...{ totalUniqueAttestations: 225, sumMissedAttestations: 0, sumMissedSyncSignatures: null },
      ...{ sumCorrectHead: 225, sumCorrectTarget: 225, sumCorrectSource: 225, sumWrongHeadVotes: 0 },
      ...{ sumWrongTargetVotes: 0, sumLateTargetVotes: 0, sumLateSourceVotes: 0, sumInclusionDelay: 230 },
      ...{ avgAttesterEffectiveness: 98.5, sumSyncSignatureCount: null, sumEndEpochBalance: 32_000_000_000 },
      ...{ sumEndEpochEffectiveBalance: 32_000_000_000, hour: null, day: 1_500, date: '2025-01-09' },
      ...{ startEpoch: 337_500, endEpoch: 337_724 },
    },
  ],
  [
    'blocks',
    {
      ...{ network: 'mainnet', epoch: 281_250, consensusSlot: 9_000_000, validatorIndex: 7 },
      ...{ consensusBlockRoot: `0x${'a'.repeat(64)}`, executionBlockHash: `0x${'b'.repeat(64)}` },
      ...{ executionBlockNumber: 19_000_000, feeRecipient: `0x${'c'.repeat(40)}`, totalTransactions: 171 },
      ...{ totalType0Transactions: 20, totalType1Transactions: 1, totalType2Transactions: 150 },
      ...{ totalSanctionedTransactions: 0, totalGasUsed: 15_000_000, baseFeePerGas: 10_000_000_000 },
      ...{
        totalBurntFees: '150000000000000000',
        totalType0TxFees: 1,
        totalType1TxFees: 1,
        totalType2TxFees: 1,
      },
      ...{ totalPriorityFees: 23_000_000.5, totalPriorityFeesValidator: 23_000_000.5, baselineMev: null },
      ...{ executionProposerDuty: 'proposed', executionRewards: null, missedExecutionRewards: 0 },
      ...{ consensusProposerDuty: 'proposed', consensusRewards: 40_000_000, missedConsensusRewards: 0 },
      ...{ totalRewards: null, totalRewardsMissed: 0, blockTimestamp: null },
      ...{ relays: ['flashbots', 'ultra sound'], blockBuilderPubkeys: [`0x${'d'.repeat(96)}`] },
      ...{ payloadStatus: 'full', bidValue: 7_000_000, bidBuilderIndex: 3, bidBuilderPubkey: pubkeyOf(3) },
      ...{ bidExecutionPayment: '3000000', bidFeeRecipient: `0x${'c'.repeat(40)}` },
      bidPayment: 'settled',
    },
  ],
  ['builders', { network: 'mainnet', ...builder(7) }],
  ['validators', { network: 'mainnet', ...validator(7, { nodeOperator: 'N, or M' }) }],
  ['validator-clients', { network: 'mainnet', validatorIndex: 7, client: 'Prysm' }],
  [
    'sync-committee-rewards',
    {
      ...{ network: 'mainnet', validatorIndex: 7, consensusSlot: 12_160_032, epoch: 380_001 },
      ...{ blockTimestamp: null, position: 3, syncCommitteeRewards: -20_500 },
    },
  ],
  ['slashings', { network: 'mainnet', ...slashing(7) }],
  [
    'consolidations',
    {
      ...{ network: 'mainnet', epoch: 380_000, sourceValidatorIndex: 1, sourceValidatorPubkey: pubkeyOf(1) },
      ...{ targetValidatorIndex: 2, targetValidatorPubkey: pubkeyOf(2), consolidatedBalance: 32_000_000_000 },
      ...{ day: null, date: null, timestamp: null },
    },
  ],
  [
    'operators',
    {
      ...{ id: `0x${'e'.repeat(40)}`, idType: 'depositAddress', timeWindow: '7d', validatorCount: 1 },
      ...{ avgCorrectness: 0.99, avgInclusionDelay: 1.01, avgUptime: 1, avgValidatorEffectiveness: 98 },
      clientPercentages: [
        { client: 'Lighthouse', percentage: 0.6 },
        { client: 'Prysm', percentage: 4e-7 },
      ],
      ...{ networkPenetration: 9.6e-7, relayerPercentages: [], nodeOperatorCount: null },
      operatorTags: [
        { name: 'Depositor, 7', path: null, idType: null },
        { name: 'P]', path: '/o/P', idType: 'pool' },
      ],
      ...{ displayName: null, aprPercentage: -0.25, sumEndEpochBalance: 32_000_000_001 },
      ...{ sumEndEpochEffectiveBalance: 32_000_000_000, network: 'mainnet', poolId: null },
      ...{ nodeOperatorId: null, poolType: null },
    },
  ],
  [
    'stake-authorities',
    {
      ...{ stakeAuthority: '1'.repeat(43), timeWindow: '7d', poolName: 'Jito', validatorDelegates: 1 },
      delegations: [
        { validatorVoteAccount: '2'.repeat(44), validatorName: 'One', percentage: 0.75 },
        { validatorVoteAccount: '3'.repeat(44), validatorName: null, percentage: '0.25' },
      ],
      ...{ stakingRewardsApy: 0.06, mevRewardsApr: '0.01', delegatorApy: 0.07, sumMissedStakingRewards: 0 },
      ...{ delegatedStake: '1500.25', networkPenetration: 0.5, aggregateValidatorEffectiveness: 0.985 },
      ...{ blendedVoteCommissionRate: 0.05, blendedMevCommissionRate: 0, sumStakingRewards: 1.5 },
      ...{ sumMevRewards: 0.5, sumRewards: 2, sumStakingCommissionPaid: 0.1, sumMevCommissionPaid: 0 },
      sumCommissionPaid: 0.1,
    },
  ],
  [
    'operator-profiles',
    {
      ...{ network: 'mainnet', id: 'Pool 7', idType: 'pool', displayName: 'Pool', poolId: null },
      ...{ nodeOperatorId: null, poolType: 'lst', operatorTags: [{ name: 'lst', path: null, idType: null }] },
    },
  ],
  [
    'solana-epochs',
    {
      ...{ epoch: 700, startedAt: '2024-11-17T03:20:00Z', endedAt: '2024-11-19T05:00:00Z' },
      ...{ stakeAccountCount: 9, withdrawAuthorityCount: 7, stakeAuthorityCount: 7 },
      deactivatingStakeAccountCount: null,
    },
  ],
  [
    'solana-stake-authority-epochs',
    {
      ...{ epoch: 700, stakeAuthority: '1'.repeat(43), voteAccount: '2'.repeat(44), poolName: 'Jito' },
      ...{ delegatedStake: 1_500.25, stakingRewards: 0.5, mevRewards: 0, stakingCommissionPaid: 0.01 },
      mevCommissionPaid: 0,
    },
  ],
  [
    'cardano-rewards',
    {
      ...{ day: '2025-01-09', epoch: 532, fromBlockNumber: 1, toBlockNumber: 9 },
      ...{ fromSlotNumber: 20, toSlotNumber: 90, poolHashId: hashOfPoolId(cardano.exampleId) },
      ...{ poolId: cardano.exampleId, poolName: 'A, or B', poolTicker: null },
      ...{ poolOwnerStakeAddresses: ['stake1a', 'stake1b'], poolFee: 0.05, poolFlatFee: '170' },
      ...{ totalRealizedDelegatorRewards: '0.000001', totalRealizedValidatorRewards: 1.5 },
      ...{ totalEarnedDelegatorRewards: 1_234, totalEarnedValidatorRewards: 0 },
    },
  ],
  [
    'polygon-rewards',
    {
      ...{ day: '2025-01-09', fromCheckpoint: 3, toCheckpoint: 7, totalActiveValidators: 105 },
      ...{ totalStake: '3600000000.123456789', totalValidatorRewards: 0.5, totalDelegatorRewards: '12' },
    },
  ],
];

/** JSON of values that fit some field, or none. */
const oddities = fc.constantFrom(
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '7', '225', '1500', '01', '1.0', '1.50', '0.5', '1e3'],
  ...['2147483647', '2147483648', '32014860472', '9007199254740993', '999999999999999999'],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '1e-7',
    '0.0000001',
    '-0.0',
    '-0.5',
    '5E-324',
    '1e-99',
    '1e99',
    '1e+2',
    '',
    ' 1',
    '1 ',
    '[]',
    '{}',
    'NaN',
  ],
  ...['18446744073709551615', '"18446744073709551615"'],
  ...[
    '["a"]',
    '["a", "b"]',
    '["a","b"',
    '["a]","[b"]',
    '[["a"]]',
    '["a",1]',
    `["0x${'D'.repeat(96)}"]`,
    '[null]',
  ],
  ...[
    '[{"client":"a","percentage":0.5}]',
    '[{"percentage":1,"client":"a","more":[1]}]',
    '[{"name":"a"}, {"name":"b", "path":null,"idType":"pool"}]',
    '[{"name":"a","name":"a"}]',
    '[{"name":7,"path":"/o/7","idType":""}]',
    '[{"client":"a","percentage":1.0}]',
    '[{"client":"a","percentage":2}]',
    '[{}]',
    '{"client":"a","percentage":0.5}',
  ],
  ...['["a\\n"]', '["é"]', '[""]', '[ ]', '"[]"'],
  ...['""', '"0"', '"7"', '"01"', '"1.50"', '"null"', '"true"', '"t"', '"mainnet"', '"Mainnet"', '"a, b"'],
  ...['"é"', '"😀"', '"a\\\\b"', '"a\\tb"', '"a\tb"', '"\\u0041"', '"\\u0000"', '"}"', '"},{"', '"\\""'],
  ...['"2024-03-31"', '"2025-01-09"', '"2023-02-29"', '"2024-03-31T12:00:23Z"', '"2024-03-31 12:00:23+02"'],
  ...[`"0x${'a'.repeat(96)}"`, `"0x${'A'.repeat(96)}"`, `"0X${'a'.repeat(40)}"`, `"${'x'.repeat(600)}"`],
);

const written = (row: Row): Record<string, string> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, JSON.stringify(value)]));

function lineOf(form: Form, columns: readonly string[], values: Record<string, string>): string {
  const given = columns.map((name) => values[name] ?? 'null');
  if (form === 'csv' || form === 'quoted')
    return given
      .map((text) => (text === 'null' ? '' : text.replace(/^"(.*)"$/s, '$1')))
      .map((cell) => (form === 'quoted' || /^\[|,/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(',');
  const [comma, colon] = form === 'compact' || form === 'element' ? [',', ':'] : [', ', ': '];
  if (form === 'pretty')
    return `{\n${columns.map((name, index) => `\t"${name}" : ${given[index]}`).join(' ,\r\n')}\n}`;
  return `{${columns.map((name, index) => `"${name}"${colon}${given[index]}`).join(comma)}}`;
}

const isCsv = (form: Form) => form === 'csv' || form === 'quoted';
const isElement = (form: Form) => form === 'element' || form === 'pretty';

async function* only<T>(part: T) {
  yield part;
}

/** What the slower way stages, or undefined if it refuses the line. */
async function staged(
  resource: ImportResource,
  form: Form,
  columns: string[],
  line: string,
  options: RowOptions,
) {
  const importer = importerOf(resource);
  const source = isCsv(form)
    ? csvRows('file', only(Buffer.from(`${columns.join(',')}\n${line}\n`)), importer.shape)
    : isElement(form)
      ? documentRows('file', only(Buffer.from(`[${line}]`)), new Set()).rows
      : jsonLines('file', only(Buffer.from(`${line}\n`)));
  try {
    for await (const [raw] of readRows(source)) {
      const checked = raw && !raw.broken ? importer.check(raw.value, options) : undefined;
      if (checked?.success)
        return copyLines(importer.columns, importer.derived)([{ place: 5, source: null, row: checked.data }]);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
  }
  return undefined;
}

describe.each(bases)('lines of %s whose values are stored as they are written', (resource, base) => {
  const importer = importerOf(resource);
  const { shape } = importer.rulesOf?.(Object.keys(base)) ?? importer;
  const fields = Object.keys(shape.shape);
  const changes = fc.dictionary(fc.constantFrom(...fields), oddities, { maxKeys: 2 });
  const orders = fc.shuffledSubarray(fields, { minLength: fields.length - 1 });

  /** PostgreSQL reads 1.50 and 1.5 as the same double. */
  const asDoubles = (line: string) =>
    line
      .split('\t')
      .map((cell, index) =>
        importer.columns[index - 2]?.type === 'double precision' && cell !== '\\N'
          ? String(Number(cell))
          : cell,
      )
      .join('\t');

  it('are staged as a row that is read and checked as a whole', async () => {
    const taken = new Set<Form>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        orders,
        changes,
        fc.boolean(),
        async (form, columns, change, utc) => {
          const options: RowOptions = { network: 'mainnet', utc };
          const line = lineOf(form, columns, { ...written(base), ...change });
          const quick = quickLines(importer, options) as NonNullable<ReturnType<typeof quickLines>>;
          // Values of the line before are known, and must not let others pass.
          const empty = Object.entries(base).map(([name, value]) => [
            name,
            Array.isArray(value) ? [] : value,
          ]);
          const before = lineOf(form, columns, written(Object.fromEntries(empty)));
          quick.expect(isCsv(form) ? { columns } : { ...jsonLayout(before), inArray: isElement(form) });
          const between = form === 'pretty' ? ',\n \t' : isElement(form) ? ',' : '\n';
          quick.take(Buffer.from(before + between), 0, 4);
          quick.taken();
          const bytes = Buffer.from(`${line}${between}${line}`);
          const next = quick.take(bytes, 0, 5);
          const text = asDoubles(quick.taken().toString());
          if (next === 0) {
            expect(text).toBe('');
            return;
          }
          taken.add(form);
          expect(text).toBe(asDoubles((await staged(resource, form, columns, line, options)) ?? 'refused'));
          expect(next).toBe(line.length + between.length);
          // Without a line break or a comma, a row may go on in the next piece of the file.
          expect(quick.take(bytes, next, 5)).toBe(0);
          expect(quick.taken().toString()).toBe('');
        },
      ),
      { ...runs(3_000), endOnFailure: true, examples: forms.map((form) => [form, fields, {}, false]) },
    );
    expect([...taken].toSorted(), resource).toEqual(forms.toSorted());
  });
});
