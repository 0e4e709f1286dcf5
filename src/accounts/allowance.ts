import { Refusal } from '../kernel/refusal.ts';
import type { Allowance } from './tiers.ts';

export type Count = { units: number; requests: number };

export type Standing = {
  period: Allowance['period'];
  unitsUsed: number;
  /** Null without a limit. */
  unitsAllowed: number | null;
  unitsRemaining: number | null;
  /** Null for a lifetime allowance. */
  resetsAt: string | null;
  requests: number;
};

type Month = { name: string; from: number; to: number; next: string };
/** Cached because requests need the month several times. */
let last: Month = { name: '', from: 0, to: 0, next: '' };

function month(now: Date): Month {
  const at = now.getTime();
  if (at < last.from || at >= last.to) {
    const [from, to] = [0, 1].map((later) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)) as [
      number,
      number,
    ];
    const next = `${new Date(to).toISOString().slice(0, 19)}Z`;
    last = { name: now.toISOString().slice(0, 7), from, to, next };
  }
  return last;
}

/** The UTC month, like `2026-11`. */
export const monthOf = (now: Date): string => month(now).name;

export const standingOf = (allowance: Allowance, used: Count, now: Date): Standing => ({
  period: allowance.period,
  unitsUsed: used.units,
  unitsAllowed: allowance.units ?? null,
  unitsRemaining: allowance.units === undefined ? null : Math.max(0, allowance.units - used.units),
  resetsAt: allowance.period === 'life' ? null : month(now).next,
  requests: used.requests,
});

const digits = (value: number | null) => (value ?? 0).toLocaleString('en');

/** Throws ALLOWANCE_USED (402) when nothing is left. */
export function refuseUsedUp({ unitsRemaining, unitsUsed, unitsAllowed, resetsAt }: Standing): void {
  if (unitsRemaining !== 0) return;
  const used = `The allowance is used up: ${digits(unitsUsed)} of ${digits(unitsAllowed)} compute units`;
  throw new Refusal(
    'ALLOWANCE_USED',
    resetsAt
      ? `${used} of this month (UTC). It resets at ${resetsAt}.`
      : `${used} of the account's life. It never resets; another tier has a monthly one.`,
  );
}
