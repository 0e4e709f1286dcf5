import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { operatorQuery } from '../../__generated__/operatorQuery.graphql';
import { type Period, periodName } from '../../figures/periods.ts';
import type { Happening } from '../../figures/plots.ts';
import { calendarDate, ratio } from '../../parts/format.ts';
import { paths } from '../../url/links.ts';
import { useHref } from '../../url/use-network.ts';

graphql`
  fragment operatorHappenings_operator on Operator {
    marked: slashings(orderBy: { field: EPOCH, direction: DESC }, first: 200) @include(if: $isOverTime) {
      nodes {
        id
        date
        validatorIndex
      }
    }
  }
`;

type Operator = NonNullable<operatorQuery['response']['operator']>;

/** Where more of the attestations of a period were missed, 0..1, it is marked. */
const MOST_MISSED = 0.1;

/** What the plots of an operator mark in these periods, newest first: slashings, and that validators were off. */
export function useHappenings(operator: Operator, periods: readonly Period[]) {
  const { idType, operatorId, marked, attestations } = operator;
  const href = useHref();
  const to = (tab: string, date: string) =>
    href(paths.operator(idType, operatorId), { tab, from: date, to: date });
  // biome-ignore lint/correctness/useExhaustiveDependencies: plots are drawn anew when their data changes
  return useMemo((): Happening[] => {
    const [newest, oldest] = [periods[0], periods.at(-1)];
    const [first, last] = [oldest?.date ?? oldest?.startDate, newest?.date ?? newest?.endDate];
    if (!first || !last) return [];
    const within = (marked?.nodes ?? []).filter(({ date }) => date >= first && date <= last);
    const slashings = within.map(({ date, validatorIndex }) => ({
      date,
      text: `Validator ${validatorIndex} was slashed on ${calendarDate(date)}`,
      to: to('events', date),
    }));
    const outages = (attestations?.nodes ?? []).flatMap((period) => {
      const begin = period.date ?? period.startDate;
      const [missed, included] = [period.sumMissedAttestations, period.totalUniqueAttestations].map(Number);
      const share = (missed ?? 0) / ((missed ?? 0) + (included ?? 0));
      if (!begin || !(share > MOST_MISSED)) return []; // hours have no date
      const text = `${ratio(share, 1)} of attestations were missed, ${periodName(period)}`;
      return [{ date: begin, text, to: to('performance', begin) }];
    });
    return [...slashings, ...outages];
  }, [marked, attestations, periods]);
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
