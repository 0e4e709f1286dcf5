import { Refusal } from '../kernel/refusal.ts';
import type { Allowance } from './tiers.ts';

/** Units charged, and the requests that they were charged for. */
export type Count = { units: number; requests: number };

/** How an account stands in the period of its allowance. */
export type Standing = {
  period: Allowance['period'];
  unitsUsed: number;
  /** Null without a limit. */
  unitsAllowed: number | null;
  unitsRemaining: number | null;
  /** When the period ends and counting begins anew; null for an account's life. */
  resetsAt: string | null;
  requests: number;
};

/** The calendar month of a moment, in UTC: `2026-11`. */
export const monthOf = (now: Date): string => now.toISOString().slice(0, 7);

const startOfNextMonth = (now: Date): string =>
  `${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 19)}Z`;

export const standingOf = (allowance: Allowance, used: Count, now: Date): Standing => ({
  period: allowance.period,
  unitsUsed: used.units,
  unitsAllowed: allowance.units ?? null,
  unitsRemaining: allowance.units === undefined ? null : Math.max(0, allowance.units - used.units),
  resetsAt: allowance.period === 'life' ? null : startOfNextMonth(now),
  requests: used.requests,
});

const digits = (value: number | null) => (value ?? 0).toLocaleString('en');

/** Refuses (402) an account that has nothing left: how much of how much is used, and when there is more. */
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
