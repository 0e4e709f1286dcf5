import { expect, it } from 'vitest';
import { repeated } from '../../src/commands/repeated.ts';
import { slow } from '../support/thorough.ts';

/** The milliseconds after which passes began, of which those numbered in `failing` failed. */
async function passesOf(every: number, retryMs: number, failing: readonly number[], passes: number) {
  const stopping = new AbortController();
  const began: number[] = [];
  const said: string[] = [];
  const start = performance.now();
  const pass = async () => {
    began.push(performance.now() - start);
    if (began.length === passes) stopping.abort();
    if (failing.includes(began.length)) throw new Error(`pass ${began.length}`);
  };
  await repeated(pass, every, stopping.signal, (text) => said.push(text), retryMs);
  return { began, said };
}

slow('a failed pass of --every is tried again before the next one is due', async () => {
  const { began, said } = await passesOf(1_000, 20, [1, 2], 4);
  expect(said).toEqual(['pass 1', 'pass 2']);
  expect(began[2]).toBeLessThan(1_000);
  expect(began[3]).toBeGreaterThanOrEqual(999);
});

it('passes of --every begin at multiples of it, also after a failure near the next one', async () => {
  const { began } = await passesOf(50, 1_000, [1], 3);
  expect(began[1]).toBeGreaterThanOrEqual(49);
  expect(began[2]).toBeGreaterThanOrEqual(99);
});
