import { hasPage } from './links.ts';

type PlacePage = { name: string; path: string };

export const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const rewards = (name: string): PlacePage => ({ name: 'Rewards', path: `/explore/rewards/${name}` });

/** Networks other than Ethereum, each with its pages. */
const others = [
  { key: 'solana', pages: [{ name: 'Stake', path: '/explore/solana' }, rewards('solana')] },
  ...['avalanche', 'babylon', 'cardano', 'celestia', 'polkadot', 'polygon'].map((key) => ({
    key,
    pages: [rewards(key)],
  })),
];

export type NetworkPlace = { key: string; name: string; pages: PlacePage[] };

/** The networks, in the order of the navigation; those without a page are left out. */
export const otherPlaces = (): NetworkPlace[] =>
  others
    .map(({ key, pages }) => ({ key, name: title(key), pages: pages.filter(({ path }) => hasPage(path)) }))
    .filter(({ pages }) => pages.length > 0);
