import { matchPath } from 'react-router';
import { missing } from '../api/failure.ts';

const idTypes = [
  'DEPOSIT_ADDRESS',
  'WITHDRAWAL_ADDRESS',
  'NODE_OPERATOR',
  'POOL',
  'POOL_SHARE',
  'VALIDATOR',
  'PRIVATE_SET',
] as const;
export type IdType = (typeof idTypes)[number];

/** The class in an address, such as `node-operator`. */
export const slugOf = (idType: string) => idType.toLowerCase().replaceAll('_', '-');
/** The class as REST names it, such as `nodeOperator`. */
export const restTypeOf = (idType: string) =>
  idType.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
export function idTypeOf(slug: string | undefined): IdType {
  const found = idTypes.find((idType) => slugOf(idType) === slug);
  if (!found) throw missing(`There is no class of operators named ${slug}.`);
  return found;
}

/** Classes whose validators are known one by one. */
export const hasValidators = (idType: IdType) => idType !== 'VALIDATOR' && idType !== 'PRIVATE_SET';

export const paths = {
  operator: (idType: string, id: string) => `/explore/operators/${slugOf(idType)}/${encodeURIComponent(id)}`,
  validator: (index: number | string) => `/explore/validators/${index}`,
  block: (slot: number | string) => `/explore/blocks/${slot}`,
  builder: (pubkey: string) => `/explore/builders/${pubkey}`,
  tag: (name: string, idType: string) =>
    `/explore/operators?${new URLSearchParams({ ...(idType !== 'POOL' && { class: slugOf(idType) }), tag: name })}`,
  stakeAuthority: (address: string) => `/explore/solana?authority=${encodeURIComponent(address)}`,
  set: (setId: string) => `/explore/sets/${encodeURIComponent(setId)}`,
  report: (setId: string) => `/explore/sets/${encodeURIComponent(setId)}/report`,
};

/** The patterns of all pages; main.tsx fills it, because pages must not import the routes. */
export const pagePaths: string[] = [];

/** Only what has a page is linked. */
export const hasPage = (path: string) =>
  pagePaths.some((pattern) => matchPath(pattern, path.split('?', 1)[0] as string));
