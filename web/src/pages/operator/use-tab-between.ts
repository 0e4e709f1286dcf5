import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import type { TabBetween } from '../../figures/happenings.ts';
import { paths } from '../../url/links.ts';
import { calendars } from '../../url/range.ts';
import { useHref } from '../../url/use-network.ts';

/** The address of a tab of an operator between dates. */
export function useTabBetween({ idType, operatorId }: { idType: string; operatorId: string }): TabBetween {
  const href = useHref();
  const [search] = useSearchParams();
  const calendar = calendars.write(calendars.read(search));
  return useCallback(
    (tab, from, to) =>
      href(paths.operator(idType, operatorId), { tab, from, to, ...(calendar && { calendar }) }),
    [href, idType, operatorId, calendar],
  );
}
