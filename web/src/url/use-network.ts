import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { type Network, networkOf, networkParam } from './network.ts';

export const useNetwork = (): Network => networkOf(useSearchParams()[0]);

/** A link below the present network, or below that of an object. */
export function useHref(of?: Network) {
  const { search } = useLocation();
  const network = of
    ? networkParam.write(of.toLowerCase() as Lowercase<Network>)
    : new URLSearchParams(search).get('network');
  return useCallback(
    (path: string, params: Record<string, string> = {}) => {
      const [pathname = '', given] = path.split('?');
      const own = new URLSearchParams(given);
      for (const [name, value] of Object.entries({ ...params, ...(network && { network }) }))
        own.set(name, value);
      return own.size > 0 ? `${pathname}?${own}` : pathname;
    },
    [network],
  );
}
