import { describe, expect, it, onTestFinished } from 'vitest';
import { recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { indexed } from '../support/indexed.ts';
import { slow } from '../support/thorough.ts';
import { differentAnswers } from './oracle/answers.ts';
import { compare } from './oracle/compare.ts';
import { importExpected } from './oracle/imported.ts';
import { restPaths, spotSlots } from './oracle/questions.ts';
import { type Chain, readRecording, recordingPath } from './oracle/recording.ts';
import { Run } from './oracle/run.ts';

/** `pauses`: epochs at which a run ends and another goes on. */
type Span = {
  from: number;
  to?: number;
  pauses?: readonly number[];
  node?: Parameters<typeof startBeaconNode>[1];
  /** So many payloads come late. */
  late?: number;
};
const names = { 'chain-days': 'days', 'chain-wide': 'wide', 'chain-gloas': 'gloas' } as const;

/** A gateway on a database into which a recorded chain was indexed, with what it must have. */
async function indexedGateway(chain: Chain, span: Span) {
  const node = await startBeaconNode(recordedChain(names[chain]), { ...span.node, lateMs: 100 });
  if (span.late) node.break(/execution_payload_envelopes/, 404, span.late);
  onTestFinished(() => node.close());
  const gateway = await gatewayForTest({ template: 'empty' });
  const { database } = gateway;
  const { from, to, pauses = [] } = span;
  const [first, ...ends] = [...pauses, to];
  await indexed(database, [node.url], { from, ...(first && { to: first }) });
  for (const end of ends) await indexed(database, [node.url], end ? { to: end } : {});
  return { gateway, run: new Run(readRecording(chain, to && to + 3), span) };
}

async function checkRows(chain: Chain, span: Span) {
  const { gateway, run } = await indexedGateway(chain, span);
  const result = await compare(gateway.database.pool, run);
  const differences = Object.values(result).flatMap((table) => table.differences);
  expect(differences.slice(0, 30)).toEqual([]);
  const counts = Object.fromEntries(Object.entries(result).map(([table, { rows }]) => [table, rows]));
  return { gateway, run, counts };
}

async function checkAnswers(chain: Chain, span: Span) {
  const { gateway, run, counts } = await checkRows(chain, span);
  const imported = await gatewayForTest({ template: 'empty' });
  await importExpected(imported, run, spotSlots(run));
  const { same, differences, refused } = await differentAnswers(run, gateway, imported);
  expect(differences.slice(0, 10)).toEqual([]);
  expect(refused).toEqual([]);
  expect(same).toBeGreaterThan(restPaths(run).length);
  return counts;
}

describe.skipIf(!recordingPath('chain-days'))('an index of a recorded chain', () => {
  it('leaves the rows of a recomputation, and both APIs answer as after imports of these', async () => {
    const counts = await checkAnswers('chain-days', { from: 2270, to: 2280, pauses: [2273] });
    expect(counts).toMatchObject({ validator_days: 320, attestation_hours: 36, blocks: 352, slashings: 1 });
  });

  slow('from its first epoch on (chain-days)', async () => {
    const counts = await checkAnswers('chain-days', { from: 2250 });
    const days = { validator_days: 972, attestation_days: 60, chain_daily_rewards: 2 };
    expect(counts).toMatchObject({ ...days, consolidations: 3, sync_committee_rewards: 7_064_064 });
  });

  slow('from the middle of a day (chain-days)', async () => {
    const counts = await checkAnswers('chain-days', { from: 2300, pauses: [2395, 2436] });
    expect(counts).toMatchObject({ validator_days: 972, attestation_hours: 792, chain_daily_rewards: 1 });
  });

  slow('from its first epoch on (chain-wide)', async () => {
    const counts = await checkAnswers('chain-wide', { from: 2250 });
    expect(counts).toMatchObject({ validators: 12_403, validator_days: 24_800, slashings: 4 });
  });

  it('from before the fork to after it (chain-gloas)', async () => {
    const counts = await checkAnswers('chain-gloas', { from: 2516, to: 2524, pauses: [2517, 2519] });
    expect(counts).toMatchObject({ validator_days: 634, blocks: 288, builders: 3 });
  });

  slow.each([
    ['from its first epoch on', { from: 2470 }],
    ['from the middle of Fulu on', { from: 2500, pauses: [2516, 2517, 2518, 2519, 2520] }],
    ['from the fork on', { from: 2519 }],
    ['from the epoch after the fork on', { from: 2520 }],
    ['from the middle of Gloas on', { from: 2545, pauses: [2570] }],
    ['with payloads that come late', { from: 2519, late: 150 }],
    ['in spite of 5 % faults', { from: 2470, node: { faults: 0.05 } }],
  ] as [string, Span][])('%s (chain-gloas)', async (_, span) => {
    const { counts } = await checkRows('chain-gloas', span);
    expect(counts.builders).toBe(5);
  });

  slow('from the middle of a day (chain-wide)', async () => {
    const counts = await checkAnswers('chain-wide', { from: 2260 });
    expect(counts).toMatchObject({ validator_days: 24_796, slashings: 3, consolidations: 2 });
  });
});
