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

it('work in turn that fails is told to those who asked for it, and is done again for the next', async () => {
  let fails = true;
  const turn = serialize(async () => {
    if (fails) throw new Error('broken');
    return 'done';
  });
  const [first, second] = [turn.run(), turn.run()];
  await expect(first).rejects.toThrow('broken');
  await expect(second).rejects.toThrow('broken');
  fails = false;
  expect(await turn.run()).toBe('done');
  fails = true;
  const last = turn.run();
  await expect(turn.stop()).resolves.toBeUndefined();
  await expect(last).resolves.toBeUndefined();
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
