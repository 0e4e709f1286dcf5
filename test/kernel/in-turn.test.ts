import { expect, it } from 'vitest';
import { inTurn } from '../../src/kernel/in-turn.ts';

/** Work that ends when it is told to. */
function held() {
  let end: (fails?: boolean) => void = () => undefined;
  let begun = false;
  const ended = new Promise<void>((resolve, reject) => {
    end = (fails = false) => (fails ? reject(new Error('broken')) : resolve());
  });
  const work = () => {
    begun = true;
    return ended;
  };
  return { work, end: (fails?: boolean) => end(fails), begun: () => begun };
}

it('work of one key is done in order, also after work that fails; that of another key does not wait', async () => {
  const run = inTurn(3);
  const [first, second, other] = [held(), held(), held()];
  const [one, two, three] = [run('a', first.work), run('a', second.work), run('b', other.work)];
  await Promise.resolve();
  expect([first.begun(), second.begun(), other.begun()]).toEqual([true, false, true]);
  first.end(true);
  await expect(one).rejects.toThrow('broken');
  await eventuallyBegun(second);
  second.end();
  other.end();
  await Promise.all([two, three]);
});

it('more work than may run and wait is not taken, until some has ended', async () => {
  const run = inTurn(2);
  const all = [held(), held()];
  const runs = all.map(({ work }) => run('a', work));
  expect(run('a', async () => undefined)).toBeUndefined();
  expect(run('b', async () => 'other')).toBeDefined();
  for (const { end } of all) end();
  await Promise.all(runs);
  expect(await run('a', async () => 'again')).toBe('again');
});

async function eventuallyBegun({ begun }: { begun(): boolean }) {
  while (!begun()) await new Promise((done) => setImmediate(done));
}
