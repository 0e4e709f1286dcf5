import { expect, onTestFinished } from 'vitest';
import { recordedChain, startBeaconNode } from '../../support/beacon-node.ts';
import { gatewayForTest } from '../../support/gateway.ts';
import { indexed } from '../../support/indexed.ts';
import { differentAnswers } from './answers.ts';
import { compare } from './compare.ts';
import { importExpected } from './imported.ts';
import { restPaths, spotSlots } from './questions.ts';
import { type Chain, readRecording } from './recording.ts';
import { Run } from './run.ts';

/** `pauses`: epochs at which a run ends and another goes on. */
export type Span = {
  from: number;
  to?: number;
  pauses?: readonly number[];
  node?: Parameters<typeof startBeaconNode>[1];
  /** So many payloads come late. */
  late?: number;
  /** A node that is asked before the first one. */
  liar?: Parameters<typeof startBeaconNode>[1] & { lies: Lie[] };
};
/** The node changes its answers from these paths with `told`. */
export type Lie = { path: RegExp; told: (body: string) => string };
const names = { 'chain-days': 'days', 'chain-wide': 'wide', 'chain-gloas': 'gloas' } as const;

async function liarFor(chain: Chain, { lies, ...options }: NonNullable<Span['liar']>): Promise<string> {
  const liar = await startBeaconNode(recordedChain(names[chain]), { lateMs: 100, ...options });
  for (const { path, told } of lies) liar.break(path, told);
  onTestFinished(() => liar.close());
  return liar.url;
}

/** A gateway on a database into which a recorded chain was indexed, with what it must have. */
async function indexedGateway(chain: Chain, span: Span) {
  const node = await startBeaconNode(recordedChain(names[chain]), { ...span.node, lateMs: 100 });
  if (span.late) node.break(/execution_payload_envelopes/, 404, span.late);
  onTestFinished(() => node.close());
  const urls = [...(span.liar ? [await liarFor(chain, span.liar)] : []), node.url];
  const gateway = await gatewayForTest({ template: 'empty' });
  const { database } = gateway;
  const { from, to, pauses = [] } = span;
  const [first, ...ends] = [...pauses, to];
  await indexed(database, urls, { from, ...(first && { to: first }) });
  for (const end of ends) await indexed(database, urls, end ? { to: end } : {});
  return { gateway, run: new Run(readRecording(chain, to && to + 3), span) };
}

/** Compares the rows of an index of a recorded chain with those of a recomputation. */
export async function checkRows(chain: Chain, span: Span) {
  const { gateway, run } = await indexedGateway(chain, span);
  const result = await compare(gateway.database.pool, run);
  const differences = Object.values(result).flatMap((table) => table.differences);
  expect(differences.slice(0, 30)).toEqual([]);
  const counts = Object.fromEntries(Object.entries(result).map(([table, { rows }]) => [table, rows]));
  return { gateway, run, counts };
}

/** Does what `checkRows` does, and compares the answers of both APIs with those after an import of these rows. */
export async function checkAnswers(chain: Chain, span: Span) {
  const { gateway, run, counts } = await checkRows(chain, span);
  const imported = await gatewayForTest({ template: 'empty' });
  await importExpected(imported, run, spotSlots(run));
  const { same, differences, refused } = await differentAnswers(run, gateway, imported);
  expect(differences.slice(0, 10)).toEqual([]);
  expect(refused).toEqual([]);
  expect(same).toBeGreaterThan(restPaths(run).length);
  return counts;
}
