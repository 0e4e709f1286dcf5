import { expect, it } from 'vitest';
import { serialize } from '../../src/kernel/serialize.ts';

/** Work that ends when it is told to, and how often it has begun. */
function heldWork() {
  const held: (() => void)[] = [];
  let begun = 0;
  const turn = serialize(() => {
    begun += 1;
    return new Promise<void>((done) => held.push(done));
  });
  const end = async () => {
    held.shift()?.();
    await new Promise((done) => setImmediate(done));
  };
  return { turn, end, begun: () => begun };
}

it('work in turn is done once more for all that ask while it is done, after it', async () => {
  const { turn, end, begun } = heldWork();
  void turn.run();
  await end();
  expect(begun()).toBe(1);
  const asked = Array.from({ length: 10 }, () => turn.run());
  expect(begun()).toBe(1);
  await end();
  expect(begun()).toBe(2);
  await end();
  await Promise.all(asked);
  expect(begun()).toBe(2);
  void turn.run();
  await end();
  expect(begun()).toBe(3);
});

it('work in turn that is stopped has ended, and begins no more', async () => {
  const { turn, end, begun } = heldWork();
  void turn.run();
  await Promise.resolve();
  void turn.run();
  let stopped = false;
  const stopping = turn.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect({ begun: begun(), stopped }).toEqual({ begun: 1, stopped: false });
  await end();
  await stopping;
  void turn.run();
  await end();
  expect(begun()).toBe(1);
});
