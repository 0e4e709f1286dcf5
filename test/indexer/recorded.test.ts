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

type Span = { from: number; to?: number };
const opened: { close(): Promise<unknown> }[] = [];

/** A gateway on a database into which a recorded chain was indexed, with what it must have. */
async function indexedGateway(chain: Chain, span: Span) {
  const node = await startBeaconNode(await recordedChain(chain === 'chain-days' ? 'days' : 'wide'));
  const database = await createDatabase('empty');
  const gateway = await startGateway({ database });
  opened.push(node, gateway, { close: () => database.drop() });
  await indexed(database, [node.url], span);
  return { gateway, run: new Run(readRecording(chain), span) };
}

async function checkRows(chain: Chain, span: Span) {
  const { gateway, run } = await indexedGateway(chain, span);
  const result = await compare(gateway.database.pool, run);
  const differences = Object.values(result).flatMap((table) => table.differences);
  console.log(
    JSON.stringify(
      Object.fromEntries(
        Object.entries(result).map(([name, { rows, differences: d }]) => [name, [rows, d.length]]),
      ),
    ),
  );
  expect(differences.slice(0, 30)).toEqual([]);
  return { gateway, run };
}

async function checkAnswers(chain: Chain, span: Span) {
  const { gateway, run } = await checkRows(chain, span);
  const imported = await startGateway({ template: 'empty' });
  opened.push(imported);
  await importExpected(imported, run, spotSlots(run));
  const { same, differences } = await differentAnswers(run, gateway, imported);
  expect(differences.slice(0, 10)).toEqual([]);
  expect(same).toBeGreaterThan(restPaths(run).length);
}

describe.skipIf(!recordingPath('chain-days'))('an index of a recorded chain', () => {
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  it('leaves the rows of a recomputation, and both APIs answer as after imports of these', () =>
    checkAnswers('chain-days', { from: 2270, to: 2280 }));

  slow('from its first epoch on (chain-days)', () => checkAnswers('chain-days', { from: 2250 }));
  slow('from the middle of a day (chain-days)', () => checkAnswers('chain-days', { from: 2300 }));
  slow('from its first epoch on (chain-wide)', () => checkAnswers('chain-wide', { from: 2250 }));
  slow('from the middle of a day (chain-wide)', () => checkAnswers('chain-wide', { from: 2260 }));
});
