import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import type { TabBetween } from '../../figures/happenings.ts';
import { granularities, periodsOf, restQuery } from '../../figures/periods.ts';
import { paths } from '../../url/links.ts';
import type { Network } from '../../url/network.ts';
import { setCalendars } from '../../url/range.ts';
import { useHref } from '../../url/use-network.ts';
import { entityRanges } from '../../url/windows.ts';

/** The REST paths with the same periods, and the address of a tab of a set between dates. */
export function useSetLinks({ setId, network }: { setId: string; network: Network }): {
  rest: (of: string) => string;
  to: TabBetween;
} {
  const [search] = useSearchParams();
  const href = useHref(network);
  const calendar = setCalendars.write(setCalendars.read(search));
  const periods = restQuery(periodsOf(search, entityRanges, granularities.read(search), setCalendars));
  const to: TabBetween = useCallback(
    (tab, from, until) => href(paths.set(setId), { tab, from, to: until, ...(calendar && { calendar }) }),
    [href, setId, calendar],
  );
  return { rest: (of) => `/v1/eth/sets/${setId}/${of}?${periods}`, to };
}
