import { afterEach, describe, expect } from 'vitest';
import { Chain } from '../../../src/indexer/chain/index.ts';
import type { EpochFacts } from '../../../src/indexer/chain/types.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { slow } from '../../support/thorough.ts';
import { recorded, recordingOf } from '../chain/recording.ts';
import { compare } from '../oracle/compare.ts';
import { readRecording } from '../oracle/recording.ts';
import { Run } from '../oracle/run.ts';
import { savedAs } from './made-facts.ts';

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});

type Name = 'chain-days' | 'chain-wide';

/** Facts of the epochs, with the registry after each. */
function* factsOf(name: Name, from: number, to: number): Generator<{ facts: EpochFacts; chain: Chain }> {
  const recording = recordingOf(name);
  const chain = Chain.begin(recording.spec, recording.start(from));
  while (chain.epoch <= to + 1) {
    const facts = chain.step(recording.input(chain.epoch, chain));
    if (facts) yield { facts, chain };
  }
}

async function stored(name: Name, { from, to }: { from: number; to?: number }) {
  const run = new Run(readRecording(name), to === undefined ? { from } : { from, to });
  const database = await createDatabase('empty');
  opened.push(database);
  const store = openStore(database.pool, 'hoodi');
  for (const { facts, chain } of factsOf(name, from, run.to))
    await store.write(facts, savedAs('x'), chain.registry, { partial: facts.epoch === run.to });
  const reports = await store.publish();
  expect(reports.filter(({ state }) => state === 'failed')).toEqual([]);
  // Not known without relays.
  const result = await compare(database.pool, run, { blocks: ['relays', 'blockBuilderPubkeys'] });
  return Object.values(result).flatMap(({ differences }) => differences);
}

describe.skipIf(!recorded)('the rows of an index', () => {
  // Whole chains are compared in recorded-days.test.ts and recorded-wide.test.ts.
  slow(
    'are those of a recomputation of a recorded chain, from the middle of a day to the middle of an hour',
    async () => {
      expect((await stored('chain-days', { from: 2340, to: 2365 })).slice(0, 20)).toEqual([]);
    },
  );
});
