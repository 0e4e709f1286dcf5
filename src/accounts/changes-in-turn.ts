import { Refusal } from '../kernel/refusal.ts';

/** Of each account, in this process; one of them works, and the others wait without a connection to the database. */
const MOST = 8;

type Turns = { last: Promise<unknown>; count: number };
const turns = new Map<string, Turns>();

/** Runs the changes of an account one after the other, so that one account cannot take all connections for writing. */
export function inTurn<T>(accountId: string, change: () => Promise<T>): Promise<T> {
  const own = turns.get(accountId) ?? { last: Promise.resolve(), count: 0 };
  if (own.count >= MOST)
    throw new Refusal(
      'RATE_LIMITED',
      `${MOST} changes of private sets of this account are in progress; try again when they are done.`,
      { headers: { 'retry-after': '1' } },
    );
  own.count += 1;
  turns.set(accountId, own);
  const done = own.last.then(change, change).finally(() => {
    own.count -= 1;
    if (own.count === 0) turns.delete(accountId);
  });
  own.last = done;
  return done;
}
