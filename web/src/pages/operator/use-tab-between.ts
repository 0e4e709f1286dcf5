import { useCallback } from 'react';
import type { TabBetween } from '../../figures/happenings.ts';
import { paths } from '../../url/links.ts';
import { useHref } from '../../url/use-network.ts';

/** The address of a tab of an operator between dates. */
export function useTabBetween({ idType, operatorId }: { idType: string; operatorId: string }): TabBetween {
  const href = useHref();
  return useCallback(
    (tab, from, to) => href(paths.operator(idType, operatorId), { tab, from, to }),
    [href, idType, operatorId],
  );
}
