import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesInTurns, JsonText, jsonPieces } from '../../src/kernel/json-text.ts';
import { paced } from '../../src/kernel/turns.ts';

/** Counts the turns of the event loop while something is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let [turns, done] = [0, false];
  const count = () => {
    if (done) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  done = true;
  return turns;
}

describe('JSON that is written over several turns', () => {
  it('is what is written in one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        const parts = { ...value, absent: undefined, written: new JsonText(['[1', ',"ä"]'], 2) };
        expect((await bytesInTurns(parts)).toString()).toBe(jsonPieces(parts).join(''));
      }),
    );
  });

  it('lets others have the event loop after each quarter of a megabyte, and keeps a small one whole', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(1_000) }));
    expect(await turnsOf(() => bytesInTurns({ data: { rows: rows(3_000) } }))).toBeGreaterThanOrEqual(11);
    expect(await turnsOf(() => bytesInTurns({ data: { rows: rows(10) } }))).toBe(0);
    const written = new JsonText(
      rows(3_000).map((row) => JSON.stringify(row)),
      3_000,
    );
    expect(await turnsOf(() => bytesInTurns({ data: { written } }))).toBeGreaterThanOrEqual(11);
  });
});

describe('work that is paced', () => {
  it('is done in its order, in each turn up to the one that passes the most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 40 }), async (works) => {
        const turn = paced(20);
        const done: number[] = [];
        const turns = await turnsOf(() =>
          Promise.all(works.map((work, index) => turn(work).then(() => done.push(index)))),
        );
        expect(done).toEqual(works.map((_, index) => index));
        // A turn that begins with fewer than twenty done may end with up to 49.
        const sum = works.reduce((all, work) => all + work, 0);
        expect(turns).toBeLessThanOrEqual(sum / 20 + 1);
        expect(turns).toBeGreaterThanOrEqual(Math.floor((sum - 1) / 50));
      }),
    );
  });
});
