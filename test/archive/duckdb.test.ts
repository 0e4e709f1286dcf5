import { expect, it, onTestFinished } from 'vitest';
import { limitScans, withReader, withScanner } from '../../src/archive/duckdb.ts';
import { ranIntoTimeout } from '../../src/db/connection.ts';

it('Archived days are read for one request of an account at a time, beside those of another account', async () => {
  const begun: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const read = (account: string, name: string) =>
    withReader(account, async (duck) => {
      begun.push(name);
      if (name === 'greedy 1') await ended;
      return (await duck.runAndReadAll('select 1 as one')).getRowObjectsJS();
    });
  onTestFinished(() => end());
  const first = read('greedy', 'greedy 1');
  const others = [2, 3].map((n) => read('greedy', `greedy ${n}`));
  expect(await read('neighbour', 'neighbour')).toEqual([{ one: 1 }]);
  // The two connections may open in any order.
  await expect.poll(() => begun.toSorted()).toEqual(['greedy 1', 'neighbour']);
  end();
  await Promise.all([first, ...others]);
  expect(begun.slice(2)).toEqual(['greedy 2', 'greedy 3']);
});

it('A scan ends at the time limit of statements, and when its client disconnects; others run on', async () => {
  onTestFinished(() => limitScans(15_000));
  const count =
    'select count(*) as n from range(3_000_000_000) a, range(1_000) b where a.range % 7 = b.range';
  const began = performance.now();
  const overdue = async (isGone: () => boolean) => {
    const error = await withScanner(isGone, (duck) => duck.run(count)).catch((error: unknown) => error);
    expect([(error as Error).message, ranIntoTimeout(error)]).toEqual([
      'The service cannot answer right now. Try again later.',
      true,
    ]);
  };
  await overdue(() => performance.now() - began > 300);
  limitScans(300);
  await overdue(() => false);
  const found = await withScanner(
    () => false,
    async (duck) => (await duck.runAndReadAll('select 1 as one')).getRowObjectsJS(),
  );
  expect(found).toEqual([{ one: 1 }]);
});
