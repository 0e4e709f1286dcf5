import { useMemo } from 'react';
import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { outage } from '../../figures/happenings.ts';
import { periodName } from '../../figures/periods.ts';
import type { Happening } from '../../figures/plots.ts';
import { count } from '../../parts/format.ts';
import { calendars, dateAfter } from '../../url/range.ts';
import { useHref } from '../../url/use-network.ts';
import { type Day, startOfDay } from './overview-days.ts';

type Slashed = NonNullable<overviewQuery['response']['slashed']>['nodes'][number];

/** More marks would hide the bars that they stand on. */
const MOST_ON_BARS = 30;

/** Dates of the list of slashings, which are of UTC: a chain day goes on until the noon of the next date. */
export const slashingDates = (from: string, to: string, search: URLSearchParams) => ({
  from,
  to: calendars.read(search) === 'chain' ? dateAfter(to) : to,
});

/** What the plots of a network mark in these days or weeks, oldest first: slashings, and times when many validators were offline. */
export function useMarks(
  days: readonly Day[],
  slashed: readonly Slashed[] | undefined,
  search: URLSearchParams,
) {
  const href = useHref();
  const calendar = calendars.write(calendars.read(search));
  return useMemo(() => {
    const first = days[0] && startOfDay(days[0]);
    const slashings = (slashed ?? []).flatMap((period): Happening[] => {
      const [from, to] = [period.date ?? period.startDate, period.date ?? period.endDate];
      if (!from || !to || !first || from < first) return [];
      const number = period.slashingCount;
      const who = `${count(number)} ${number === 1 ? 'validator was' : 'validators were'} slashed`;
      return [
        {
          date: from,
          text: `${who}, ${periodName(period)}`,
          to: href('/explore/slashings', slashingDates(from, to, search)),
        },
      ];
    });
    const outages = days.flatMap((day) =>
      outage(day, 1 - (day.participationRatio ?? 1), (from, to) =>
        href('/', { from, to, ...(calendar && { calendar }) }),
      ),
    );
    const onBars = slashings.length > MOST_ON_BARS ? [] : slashings;
    return { onBars, all: [...slashings, ...outages] };
  }, [days, slashed, href, calendar, search]);
}
