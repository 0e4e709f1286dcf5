import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fairTurns, type Turn } from '../../src/kernel/fair-turns.ts';
import { Refusal } from '../../src/kernel/refusal.ts';
import { runs } from '../support/thorough.ts';

// Accounts that use places for long leave some to the others, however many they are.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SLOW_MS = 250;

/** Places whose use the test ends, and what each account knows of its own. */
function placesOf(places: number, most: number, waitTimeoutMs = 3_600_000) {
  const turns = fairTurns({ places, most, waitTimeoutMs });
  const kept = Math.max(0, Math.min(Math.floor(places / 3), places - most));
  const atWork: { account: string; turn: Turn }[] = [];
  const waiting: string[] = [];
  const refused: string[] = [];
  const barredUntil = new Map<string, number>();
  const running = (account: string) => atWork.filter((one) => one.account === account).length;
  const isBarred = (account: string) => (barredUntil.get(account) ?? 0) > performance.now();
  return {
    ...{ turns, kept, atWork, waiting, refused, running, isBarred },
    free: () => places - atWork.length,
    enter(account: string, onBegin: () => void = () => undefined) {
      waiting.push(account);
      turns.enter(account, (refusal, turn) => {
        waiting.splice(waiting.indexOf(account), 1);
        if (!turn) {
          refused.push(String(refusal?.code));
          return;
        }
        onBegin();
        atWork.push({ account, turn });
      });
    },
    leave(at: number) {
      const [{ account, turn }] = atWork.splice(at, 1) as [(typeof atWork)[number]];
      const now = performance.now();
      const took = now - turn.since;
      const barred = Math.max(now, barredUntil.get(account) ?? 0) + 10 * took;
      if (took > SLOW_MS) barredUntil.set(account, Math.min(now + 600_000, barred));
      turns.leave(turn);
    },
  };
}

const names = 'abcdefghijkl'.split('');
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ enter: fc.constantFrom(...names) }) },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ pass: fc.constantFrom(10, 300, 5_000, 60_000) }) },
  ),
  { maxLength: 150 },
);

it('whoever comes and goes, each rule of the turns holds, and nobody waits for ever', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      steps,
      (all, most, given) => {
        const of = placesOf(all, most);
        const hasMost = (account: string) => of.running(account) >= most;
        const checkBegin = (account: string) => {
          expect(of.free()).toBeGreaterThan(0);
          expect(of.running(account)).toBeLessThan(most);
          // No account that runs fewer has to wait, except a barred one while only kept places are free.
          for (const other of of.waiting)
            if (of.running(other) < of.running(account))
              expect([other, of.isBarred(other), of.free() <= of.kept]).toEqual([other, true, true]);
          if (of.isBarred(account)) expect(of.free()).toBeGreaterThan(of.kept);
        };
        for (const step of given) {
          if ('enter' in step) of.enter(step.enter, () => checkBegin(step.enter));
          else if ('pass' in step) vi.advanceTimersByTime(step.pass);
          else if (of.atWork.length > 0) of.leave(step.leave % of.atWork.length);
          for (const account of of.waiting) {
            if (hasMost(account)) continue;
            expect(of.free()).toBeLessThanOrEqual(of.kept);
            if (!of.isBarred(account)) expect(of.running(account)).toBeGreaterThanOrEqual(of.free());
          }
          const own = of.waiting.filter(hasMost).length;
          expect(of.turns.waiting()).toEqual({ own, scarce: of.waiting.length - own });
        }
        for (let left = 500; of.atWork.length > 0; left -= 1) {
          expect(left).toBeGreaterThan(0);
          of.leave(0);
        }
        vi.advanceTimersByTime(250);
        while (of.atWork.length > 0) of.leave(0);
        expect([of.waiting, of.refused, of.free()]).toEqual([[], [], all]);
        of.turns.stop();
      },
    ),
    runs(400),
  );
});

/** Accounts that always want more than they get, and use each place for ten seconds. */
function abusive(
  count: number,
  of: ReturnType<typeof placesOf>,
  seconds: number,
  each: (at: number) => void,
) {
  for (let n = 0; n < count; n += 1) for (let more = 0; more < 50; more += 1) of.enter(`abusive ${n}`);
  for (let at = 0; at < seconds * 10; at += 1) {
    vi.advanceTimersByTime(100);
    for (let n = of.atWork.length - 1; n >= 0; n -= 1) {
      const { account, turn } = of.atWork[n] as (typeof of.atWork)[number];
      if (performance.now() - turn.since < 10_000) continue;
      of.leave(n);
      of.enter(account);
    }
    each(at / 10);
  }
}

it.each([4, 8, 60])(
  '%i abusive accounts leave a third of 10 places to others, once each was seen',
  (count) => {
    const of = placesOf(10, 3);
    abusive(count, of, 30 + 4 * count, (second) => {
      if (second > 20 + 2 * count) expect([second, of.free()]).toEqual([second, 3]);
    });
    const last = of.atWork.length;
    for (const account of ['short', 'short', 'other', 'other']) of.enter(account);
    expect(of.atWork.slice(last).map(({ account }) => account)).toEqual(['short', 'short', 'other']);
    of.turns.stop();
  },
);

it('An account whose use was long gets none of the kept places for ten times as long, and then some again', () => {
  const of = placesOf(10, 3);
  of.enter('a');
  vi.advanceTimersByTime(2_000);
  of.leave(0);
  for (const account of ['b', 'b', 'b', 'c', 'c', 'c', 'd']) of.enter(account);
  of.enter('a');
  vi.advanceTimersByTime(19_900);
  expect(of.waiting).toEqual(['a']);
  vi.advanceTimersByTime(400);
  expect(of.waiting).toEqual([]);
  of.turns.stop();
});

it('One account alone may use as many places as it is allowed, and what is done for no account waits for no turn', () => {
  const of = placesOf(4, 4);
  for (let n = 0; n < 5; n += 1) of.enter('a');
  expect([of.atWork.length, of.turns.waiting()]).toEqual([4, { own: 1, scarce: 0 }]);
  let begun = 0;
  of.turns.enter(undefined, () => (begun += 1));
  expect(begun).toBe(1); // the gateway's own
  of.turns.stop();
});

it('tells those that waited for places of their own account so, and others that the service is busy', () => {
  const own = new Refusal('RATE_LIMITED', 'one at a time');
  const turns = fairTurns({ places: 2, most: 1, waitTimeoutMs: 1_000, ofOwn: () => own });
  const told: Record<string, (string | undefined)[]> = {};
  const enter = (account: string) =>
    turns.enter(account, (refusal) => void (told[account] ??= []).push(refusal?.code));
  for (const account of ['a', 'a', 'b', 'c']) enter(account);
  vi.advanceTimersByTime(1_500);
  expect(told).toEqual({ a: [undefined, 'RATE_LIMITED'], b: [undefined], c: ['UNAVAILABLE'] });
  turns.stop();
});
