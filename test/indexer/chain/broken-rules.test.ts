import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Chain } from '../../../src/indexer/chain/index.ts';
import type { EpochFacts } from '../../../src/indexer/chain/types.ts';
import { project } from '../../support/process.ts';
import { scratch } from '../../support/scratch.ts';
import { slow } from '../../support/thorough.ts';
import { type Broken, brokenRules } from './broken-rules.ts';
import { type RecordingName, recorded, recordingOf } from './recording.ts';

const folder = mkdtempSync(join(scratch, 'broken-rules-'));
const compiled = join(folder, 'dist');
beforeAll(() => {
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const part of ['chain', 'kernel', 'indexer'])
    cpSync(join(project, 'dist', part), join(compiled, part), {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    });
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.js')) {
      const path = join(compiled, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*/m, ''));
    }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The compiled rules, with one of them broken. */
async function chainOf([rule, file, from, to]: Broken): Promise<typeof Chain> {
  const copy = mkdtempSync(join(folder, 'dist-'));
  cpSync(compiled, copy, { recursive: true });
  const path = join(copy, 'indexer/chain', `${file}.js`);
  const text = readFileSync(path, 'utf8');
  expect(text.split(from), `${rule}: what is replaced`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return (await import(pathToFileURL(join(copy, 'indexer/chain/index.js')).href)).Chain;
}

const begun = (name: RecordingName, by: typeof Chain) => {
  const recording = recordingOf(name);
  return by.begin(recording.spec, recording.start(recording.firstEpoch));
};
const known = new Map<RecordingName, EpochFacts[]>();

/** Compares with the facts of the rules as they are, which other tests compare with a recomputation. */
function isNoticed(name: RecordingName, broken: typeof Chain): boolean {
  const recording = recordingOf(name);
  const expected = known.get(name) ?? recording.run(begun(name, Chain));
  known.set(name, expected);
  try {
    const chain = begun(name, broken);
    while (chain.epoch <= recording.lastEpoch)
      for (const facts of recording.run(chain, chain.epoch))
        if (!isDeepStrictEqual(facts, expected[facts.epoch - recording.firstEpoch])) return true;
    return false;
  } catch {
    return true;
  }
}

describe.skipIf(!recorded)('a recorded chain notices a broken rule:', () => {
  slow.each(brokenRules)('%s', async (...broken) => {
    const chain = await chainOf(broken);
    const names = ['chain-gloas', 'chain-days', 'chain-wide'] as const;
    expect(names.find((name) => isNoticed(name, chain))).toBeDefined();
  });
});
