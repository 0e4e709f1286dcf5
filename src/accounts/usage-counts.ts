import { randomUUID } from 'node:crypto';
import { type Count, monthOf } from './allowance.ts';
import type { Counts, Total } from './usage-queries.ts';

type Known = { month: string; inMonth: Count; life: Count };

const nothing: Count = { units: 0, requests: 0 };
const sum = (...counts: (Count | undefined)[]): Count => {
  const total = { ...nothing };
  for (const count of counts) {
    total.units += count?.units ?? 0;
    total.requests += count?.requests ?? 0;
  }
  return total;
};

type Batch = { id: string; counts: Counts };

export type UsageCounts = {
  add(accountId: string, units: number, at: Date): void;
  used(accountId: string, period: 'month' | 'life', at: Date): Count;
  /** The usage to write, under the same id until `written`; undefined when there is none. */
  batch(): Batch | undefined;
  /** Whether usage was added since `batch`. */
  more(): boolean;
  written(): void;
  learn(month: string, totals: readonly Total[]): void;
};

export function usageCounts(): UsageCounts {
  const known = new Map<string, Known>();
  let pending: Counts = new Map();
  let sending: Batch | undefined;

  const unwritten = (accountId: string, month?: string): Count =>
    sum(
      ...[pending, ...(sending ? [sending.counts] : [])].flatMap((counts) =>
        month
          ? [counts.get(month)?.get(accountId)]
          : [...counts.values()].map((accounts) => accounts.get(accountId)),
      ),
    );

  /** Adds counts just written to the database to the totals in memory, which may not be read again soon. */
  function settle(counts: Counts) {
    for (const [month, accounts] of counts) {
      for (const [accountId, count] of accounts) {
        const before = known.get(accountId) ?? { month, inMonth: nothing, life: nothing };
        const later = month > before.month;
        const inMonth = later ? count : month === before.month ? sum(before.inMonth, count) : before.inMonth;
        known.set(accountId, {
          month: later ? month : before.month,
          inMonth,
          life: sum(before.life, count),
        });
      }
    }
  }

  return {
    add(accountId, units, at) {
      const month = monthOf(at);
      let accounts = pending.get(month);
      if (!accounts) pending.set(month, (accounts = new Map()));
      const count = accounts.get(accountId);
      if (count) {
        count.units += units;
        count.requests += 1;
      } else accounts.set(accountId, { units, requests: 1 });
    },
    used(accountId, period, at) {
      const stored = known.get(accountId);
      if (period === 'life') return sum(stored?.life, unwritten(accountId));
      const month = monthOf(at);
      return sum(stored?.month === month ? stored.inMonth : undefined, unwritten(accountId, month));
    },
    batch() {
      if (!sending && pending.size > 0) {
        sending = { id: randomUUID(), counts: pending };
        pending = new Map();
      }
      return sending;
    },
    more: () => pending.size > 0,
    written() {
      if (sending) settle(sending.counts);
      sending = undefined;
    },
    learn(month, totals) {
      for (const total of totals) {
        known.set(total.accountId, {
          month,
          inMonth: { units: total.monthUnits, requests: total.monthRequests },
          life: { units: total.lifeUnits, requests: total.lifeRequests },
        });
      }
    },
  };
}
