import { Refusal } from '../kernel/refusal.ts';
import type { Allowance } from './tiers.ts';
import { monthAt } from './usage.ts';
import type { Count } from './usage-queries.ts';

export type Standing = {
  period: Allowance['period'];
  unitsUsed: number;
  /** Null means no limit. */
  unitsAllowed: number | null;
  unitsRemaining: number | null;
  /** Null for a lifetime allowance. */
  resetsAt: string | null;
  requests: number;
};

export const standingOf = (allowance: Allowance, used: Count, now: Date): Standing => ({
  period: allowance.period,
  unitsUsed: used.units,
  unitsAllowed: allowance.units ?? null,
  unitsRemaining: allowance.units === undefined ? null : Math.max(0, allowance.units - used.units),
  resetsAt: allowance.period === 'life' ? null : monthAt(now).next,
  requests: used.requests,
});

const digits = (value: number | null) => (value ?? 0).toLocaleString('en');

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

/** Refuses the next event of a stream if the units that are left do not cover its estimate. */
export function refuseBeyond(estimate: number, standing: Standing): void {
  refuseUsedUp(standing);
  const { unitsRemaining: left, unitsAllowed, resetsAt } = standing;
  if (left === null || estimate <= left) return;
  const message = `The next event may cost ${digits(estimate)} compute units; ${digits(left)} of ${digits(unitsAllowed)} are left`;
  throw new Refusal(
    'ALLOWANCE_USED',
    `${message}.${resetsAt ? ` The allowance resets at ${resetsAt}.` : ''}`,
  );
}

/** Accepts a request while any unit is left, so one request may exceed the allowance. */
export function refuseReserved(available: number | null, standing: () => Standing): void {
  if (available === null || available > 0) return;
  const now = standing();
  refuseUsedUp(now);
  throw new Refusal(
    'RATE_LIMITED',
    `Too many requests at once: those being answered have reserved the ${digits(now.unitsRemaining)} compute units that are left.`,
    { headers: { 'retry-after': '1' } },
  );
}
