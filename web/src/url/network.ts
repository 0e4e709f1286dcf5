import { useLocation, useSearchParams } from 'react-router';
import { oneOf } from './url-state.ts';

export type Network = 'MAINNET' | 'HOODI' | 'HOLESKY' | 'SEPOLIA';

export const ethereumNetworks = ['mainnet', 'hoodi', 'holesky', 'sepolia'] as const;
export const networkParam = oneOf('network', ethereumNetworks, 'mainnet');
export const networkOf = (search: URLSearchParams) => networkParam.read(search).toUpperCase() as Network;

export const useNetwork = (): Network => networkOf(useSearchParams()[0]);

/** A link below the present network, or below that of an object. */
export function useHref(of?: Network) {
  const { search } = useLocation();
  const network = of
    ? networkParam.write(of.toLowerCase() as Lowercase<Network>)
    : new URLSearchParams(search).get('network');
  return (path: string, params: Record<string, string> = {}) => {
    const own = new URLSearchParams({ ...params, ...(network && { network }) }).toString();
    return own ? `${path}?${own}` : path;
  };
}
