import { afterAll, describe, expect, it } from 'vitest';
import { recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { createDatabase, startGateway } from '../support/gateway.ts';
import { indexed } from '../support/indexed.ts';
import { slow } from '../support/thorough.ts';
import { differentAnswers } from './oracle/answers.ts';
import { compare } from './oracle/compare.ts';
import { importExpected } from './oracle/imported.ts';
import { restPaths, spotSlots } from './oracle/questions.ts';
import { type Chain, readRecording, recordingPath } from './oracle/recording.ts';
import { Run } from './oracle/run.ts';

/** `pauses`: epochs at which a run ends and another goes on. */
type Span = { from: number; to?: number; pauses?: readonly number[] };
const opened: { close(): Promise<unknown> }[] = [];

/** A gateway on a database into which a recorded chain was indexed, with what it must have. */
async function indexedGateway(chain: Chain, span: Span) {
  const node = await startBeaconNode(await recordedChain(chain === 'chain-days' ? 'days' : 'wide'));
  const database = await createDatabase('empty');
  const gateway = await startGateway({ database });
  opened.push(node, gateway, { close: () => database.drop() });
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
  const imported = await startGateway({ template: 'empty' });
  opened.push(imported);
  await importExpected(imported, run, spotSlots(run));
  const { same, differences, refused } = await differentAnswers(run, gateway, imported);
  expect(differences.slice(0, 10)).toEqual([]);
  expect(refused).toEqual([]);
  expect(same).toBeGreaterThan(restPaths(run).length);
  return counts;
}

describe.skipIf(!recordingPath('chain-days'))('an index of a recorded chain', () => {
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
  });

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

  slow('from the middle of a day (chain-wide)', async () => {
    const counts = await checkAnswers('chain-wide', { from: 2260 });
    expect(counts).toMatchObject({ validator_days: 24_796, slashings: 3, consolidations: 2 });
  });
});
