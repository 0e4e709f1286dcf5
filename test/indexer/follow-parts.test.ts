import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { indexProgress, shortTime } from '../../src/commands/index-progress.ts';
import { InputError, ReconcileError } from '../../src/indexer/chain/errors.ts';
import { isFinal, reasonOf } from '../../src/indexer/faults.ts';
import { LockedError } from '../../src/indexer/lock.ts';
import { NodeError } from '../../src/indexer/node/errors.ts';
import { prefetcher } from '../../src/indexer/prefetch.ts';
import { boundaryOf, endOf, RangeFault, startOf } from '../../src/indexer/range.ts';
import { problemTeller, retrying } from '../../src/indexer/retry.ts';
import { newStatus } from '../../src/indexer/status.ts';

describe('where an index begins and ends', () => {
  const nothing = { from: undefined, firstFrom: undefined, to: undefined };
  const stored = { first: 2_250, epoch: 2_300 };
  const final = (finalized: number, once = false) => ({ finalized, once });

  it('is the start of the present chain day, after what is stored, or where --from says', () => {
    expect(startOf('hoodi', nothing, final(2_480), undefined)).toBe(2_475);
    expect(startOf('hoodi', nothing, final(2_476), undefined)).toBe(2_250); // of which 2474 is the newest to be stored
    expect(startOf('hoodi', nothing, final(2_480), stored)).toBeUndefined();
    expect(startOf('hoodi', { ...nothing, firstFrom: { epoch: 7 } }, final(2_480), undefined)).toBe(7);
    expect(startOf('hoodi', { ...nothing, firstFrom: { epoch: 7 } }, final(2_480), stored)).toBeUndefined();
    expect(startOf('hoodi', { ...nothing, from: { date: '2025-03-27' } }, final(2_480), undefined)).toBe(
      2_250,
    );
    for (const epoch of [2_250, 2_270, 2_301])
      expect(startOf('hoodi', { ...nothing, from: { epoch } }, final(2_480), stored)).toBeUndefined();
    for (const epoch of [2_249, 2_302])
      expect(startOf('hoodi', { ...nothing, from: { epoch } }, final(2_480), stored)).toBe(epoch);
  });

  it('is the finalized epoch for head, and with --once the newest one that can be stored', () => {
    const head = { ...nothing, from: 'head' } as const;
    expect(startOf('hoodi', head, final(2_480), undefined)).toBe(2_480);
    expect(startOf('hoodi', head, final(2_480, true), undefined)).toBe(2_478);
    expect(startOf('hoodi', head, final(2_303), stored)).toBeUndefined();
    expect(startOf('hoodi', head, final(2_304), stored)).toBe(2_304);
    expect(startOf('hoodi', { ...nothing, firstFrom: 'head' }, final(2_400), stored)).toBeUndefined();
  });

  it('refuses what is not final yet, and dates before genesis', () => {
    const at = (from: { epoch: number } | { date: string }) =>
      startOf('hoodi', { ...nothing, from }, final(2_480), undefined);
    expect(at({ epoch: 2_480 })).toBe(2_480);
    expect(() => at({ epoch: 2_481 })).toThrow(RangeFault);
    expect(() => at({ date: '2025-03-16' })).toThrow('--from is before the genesis of hoodi.');
  });

  it('ends with the chain day of a date', () => {
    expect(endOf('hoodi', undefined)).toBe(Number.POSITIVE_INFINITY);
    expect(endOf('hoodi', { epoch: 9 })).toBe(9);
    expect(endOf('hoodi', { date: '2025-03-17' })).toBe(224);
  });

  it.each([
    ['0', { epoch: 0 }],
    ['2025-03-17', { date: '2025-03-17' }],
    ['2025-02-29'],
    ['-1'],
    ['1e3'],
    [''],
  ])('reads %j as %j', (text, read?: object) => expect(boundaryOf(text)).toEqual(read));
});

describe('prefetching', () => {
  it('fetches a bounded number of epochs ahead, never past the last, and a failed one again', async () => {
    const asked: number[] = [];
    let fails = true;
    const inputs = prefetcher(async (epoch: number) => {
      asked.push(epoch);
      if (epoch === 3 && fails) throw new Error('away');
      return epoch;
    }, 3);
    expect(await inputs.take(1, 4)).toBe(1);
    expect(asked).toEqual([1, 2, 3]);
    expect(await inputs.take(2, 4)).toBe(2);
    fails = false;
    expect(await inputs.take(3, 4)).toBe(3);
    expect(await inputs.take(4, 4)).toBe(4);
    expect(asked.filter((epoch) => epoch !== 3)).toEqual([1, 2, 4]);
  });

  it('asks another node even if an answer is there', async () => {
    const inputs = prefetcher(async (epoch: number, avoid?: string) => `${epoch} ${avoid}`, 2);
    expect(await inputs.take(1, 9)).toBe('1 undefined');
    expect(await inputs.take(2, 9, 'liar')).toBe('2 liar');
  });
});

describe('faults', () => {
  const slow = new NodeError('slow', 'node', 'It is slow.');

  it('are said once a kind, again after ten minutes, and once more when they are over', async () => {
    const said: string[] = [];
    let now = 0;
    const say = (_level: string, message: string) => said.push(message);
    const tell = problemTeller(say, () => now);
    const status = newStatus();
    const stop = AbortSignal.abort(); // without waiting
    const retry = retrying({ status, tell, say, once: false, stop });
    for (let turn = 0; turn < 3; turn += 1) await retry.failed(slow);
    expect(status.problem).toBe('slow');
    now = 600_000;
    await retry.failed(slow);
    retry.succeeded();
    retry.succeeded();
    expect(said).toEqual([slow.message, slow.message, 'The index continues.']);
    expect(status.problem).toBeUndefined();
  });

  it('end a run with --once after eight in a row', async () => {
    const say = () => undefined;
    const options = { status: newStatus(), tell: problemTeller(say), say, once: true };
    const retry = retrying({ ...options, stop: AbortSignal.abort() });
    for (let turn = 0; turn < 7; turn += 1) await retry.failed(slow);
    await expect(retry.failed(slow)).rejects.toThrow('It is slow.');
  });
});

describe('what keeps an index from going on', () => {
  it.each([
    [new NodeError('pruned', 'https://key@node.test/secret', 'gone'), 'pruned'],
    [new ReconcileError(7, 1, 2), 'unexplained'],
    [new InputError(7, 'nonsense'), 'nonsense'],
    [Object.assign(new Error('x'), { code: '57P01' }), 'database'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'database'],
    [new TypeError('x is not a function'), 'internal'],
    [new LockedError('another'), 'locked'],
    [new RangeFault('--from'), 'refused'],
  ])('is told as a reason without a part of a URL: %s', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
    expect(isFinal(error)).toBe(reason === 'refused');
  });
});

describe('progress', () => {
  it('shows on a terminal where the index is, how fast, and how long it will take', () => {
    const written: string[] = [];
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
    stream.on('data', (text) => written.push(String(text)));
    const progress = indexProgress(stream as unknown as NodeJS.WriteStream);
    progress.show({ epoch: 2_250, last: 2_706 });
    const until = performance.now() + 50;
    while (performance.now() < until);
    progress.show({ epoch: 2_260, last: 2_706 });
    progress.show({ epoch: 2_706, last: 2_706 });
    const text = written.join('').split('\r\u001b[K');
    expect(text[0]).toBe('epoch 2,250 · 456 epochs behind');
    expect(text[1]).toMatch(/^epoch 2,260 · [\d.]+ epochs\/s · 446 epochs behind · \d+ (s|min) left$/);
    expect(text[2]).toMatch(/^epoch 2,706 · [\d.]+ epochs\/s · up to date$/);
  });

  it.each([
    [1.2, '2 s'],
    [299, '299 s'],
    [301, '6 min'],
    [7_199, '120 min'],
    [7_200, '2 h'],
    [200_000, '3 d'],
  ])('writes %d s as %s', (seconds, text) => expect(shortTime(seconds)).toBe(text));
});
