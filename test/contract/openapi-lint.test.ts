import { spawnSync } from 'node:child_process';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { document, operations } from '../support/interface-page.ts';
import { slow } from '../support/thorough.ts';

const text = JSON.stringify(document);
const patterns = [
  ...new Set([...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, json]) => json)),
].map((json) => JSON.parse(json as string) as string);
const hasPython = spawnSync('python3', ['-V']).status === 0;

describe('openapi.json', () => {
  slow('has no problem by the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
  });

  slow('has no problem by the recommended rules of Spectral', async () => {
    const spectral = new Spectral();
    spectral.setRuleset(new Ruleset({ extends: [rulesets.oas] }));
    const problems = await spectral.run(JSON.parse(text));
    expect(problems.map(({ code, message, path }) => [code, path.join('.'), message])).toEqual([]);
  });

  it('has patterns that mean the same in JavaScript with and without the flag u', () => {
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\\p/i);
      expect([new RegExp(pattern).source, new RegExp(pattern, 'u').source]).toEqual([pattern, pattern]);
    }
  });

  it.skipIf(!hasPython)('has patterns that Python compiles', () => {
    const script = 'import json, re, sys\nfor p in json.load(sys.stdin): re.compile(p)';
    const { stderr, status } = spawnSync('python3', ['-c', script], { input: JSON.stringify(patterns) });
    expect([status, `${stderr}`]).toEqual([0, '']);
  });

  it('names every list and every error, so that generated clients have a type for each', () => {
    const schemas = operations.flatMap(
      ({ responses }) => responses[200]?.content?.['application/json']?.schema ?? [],
    );
    expect(schemas.length).toBeGreaterThan(20);
    for (const schema of schemas.filter((found) => !('type' in found && found.type === 'array')))
      expect(Object.keys(schema)).toEqual(['$ref']);
  });
});
