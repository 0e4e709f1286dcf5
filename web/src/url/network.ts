import { oneOf } from './url-state.ts';

export type Network = 'MAINNET' | 'HOODI' | 'HOLESKY' | 'SEPOLIA';

export const ethereumNetworks = ['mainnet', 'hoodi', 'holesky', 'sepolia'] as const;
export const networkParam = oneOf('network', ethereumNetworks, 'mainnet');
export const networkOf = (search: URLSearchParams) => networkParam.read(search).toUpperCase() as Network;
