import { expect, it } from 'vitest';
import { reading } from '../../src/archive/duckdb.ts';

it('Archived days are read for one request of an account at a time, beside those of another account', async () => {
  const begun: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const read = (account: string, name: string) =>
    reading(account, async (duck) => {
      begun.push(name);
      if (name === 'greedy 1') await ended;
      return (await duck.runAndReadAll('select 1 as one')).getRowObjectsJS();
    });
  const first = read('greedy', 'greedy 1');
  const others = [2, 3].map((n) => read('greedy', `greedy ${n}`));
  expect(await read('neighbour', 'neighbour')).toEqual([{ one: 1 }]);
  expect(begun).toEqual(['greedy 1', 'neighbour']);
  end();
  await Promise.all([first, ...others]);
  expect(begun).toEqual(['greedy 1', 'neighbour', 'greedy 2', 'greedy 3']);
});
