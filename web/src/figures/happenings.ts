import { useMemo } from 'react';
import { calendarDate, ratio } from '../parts/format.ts';
import { type Period, periodName } from './periods.ts';
import type { Happening } from './plots.ts';

type List<Row> = { readonly nodes: readonly Row[] } | null | undefined;
type Slashed = { readonly date: string; readonly validatorIndex: number };
/** The address of a tab between dates. */
export type TabBetween = (tab: 'events' | 'performance', from: string, to: string) => string;
type Votes = Period & {
  readonly sumMissedAttestations: string;
  readonly totalUniqueAttestations: string;
};

/** Where more of the attestations of a period were missed, 0..1, it is marked. */
const MOST_MISSED = 0.1;

/** The dates of periods, newest first, from the first to the last one. */
const endsOf = (periods: readonly Period[]) => {
  const [newest, oldest] = [periods[0], periods.at(-1)];
  return [oldest?.date ?? oldest?.startDate, newest?.date ?? newest?.endDate] as const;
};

/** An outage, if so much of the attestations of a period was missed, 0..1. */
export function outage(period: Period, share: number, to: (from: string, to: string) => string): Happening[] {
  const [begin, end] = [period.date ?? period.startDate, period.date ?? period.endDate];
  if (!begin || !end || !(share > MOST_MISSED)) return []; // hours have no date
  const text = `${ratio(share)} of attestations were missed, ${periodName(period)}`;
  return [{ date: begin, text, to: to(begin, end) }];
}

/**
 * What the plots of an operator or a set mark in these periods, newest first: slashings, and that validators were off. `to`
 * is the address of its events or of its performance between dates.
 */
export function useHappenings(
  of: { slashings: List<Slashed>; votes: List<Votes> },
  to: TabBetween,
  periods: readonly Period[],
) {
  const { slashings, votes } = of;
  return useMemo((): Happening[] => {
    const [first, last] = endsOf(periods);
    if (!first || !last) return [];
    const within = (slashings?.nodes ?? []).filter(({ date }) => date >= first && date <= last);
    return [
      ...within.map(({ date, validatorIndex }) => ({
        date,
        text: `Validator ${validatorIndex} was slashed on ${calendarDate(date)}`,
        to: to('events', date, date),
      })),
      ...(votes?.nodes ?? []).flatMap((period) => {
        const [missed = 0, included = 0] = [period.sumMissedAttestations, period.totalUniqueAttestations].map(
          Number,
        );
        return outage(period, missed / (missed + included), (from, until) => to('performance', from, until));
      }),
    ];
  }, [slashings, votes, periods, to]);
}

/** In the legend, where something is marked. */
export const happeningLegend = (happenings: readonly Happening[], isWithOutages: boolean) =>
  happenings.length === 0
    ? []
    : [
        {
          label: isWithOutages ? `Slashings, or more than ${ratio(MOST_MISSED, 0)} missed` : 'Slashings',
          color: 'var(--text)',
        },
      ];
