import type { LazyRouteFunction, RouteObject } from 'react-router';

export type Page = {
  path: string;
  /** Name of the page in the navigation of Ethereum; pages of one object have none. */
  nav?: string;
  lazy: LazyRouteFunction<RouteObject>;
};

/** The pages, one line each. Navigation, search and links show only those that are here. */
export const pages: Page[] = [
  { path: '/', nav: 'Overview', lazy: async () => (await import('./pages/overview.tsx')).default },
  {
    path: '/explore/operators',
    nav: 'Operators',
    lazy: async () => (await import('./pages/operators.tsx')).default,
  },
  {
    path: '/explore/operators/:idType/:id',
    lazy: async () => (await import('./pages/operator.tsx')).default,
  },
  {
    path: '/explore/compare',
    nav: 'Compare',
    lazy: async () => (await import('./pages/compare.tsx')).default,
  },
  { path: '/explore/blocks', nav: 'Blocks', lazy: async () => (await import('./pages/blocks.tsx')).default },
  { path: '/explore/blocks/:slot', lazy: async () => (await import('./pages/block.tsx')).default },
  {
    path: '/explore/builders',
    nav: 'Builders',
    lazy: async () => (await import('./pages/builders.tsx')).default,
  },
  { path: '/explore/builders/:pubkey', lazy: async () => (await import('./pages/builder.tsx')).default },
  {
    path: '/explore/validators',
    nav: 'Validators',
    lazy: async () => (await import('./pages/validators.tsx')).default,
  },
  {
    path: '/explore/validators/:validator',
    lazy: async () => (await import('./pages/validator.tsx')).default,
  },
  {
    path: '/explore/slashings',
    nav: 'Slashings',
    lazy: async () => (await import('./pages/slashings.tsx')).default,
  },
  {
    path: '/explore/consolidations',
    nav: 'Consolidations',
    lazy: async () => (await import('./pages/consolidations.tsx')).default,
  },
  { path: '/explore/solana', lazy: async () => (await import('./pages/solana.tsx')).default },
  { path: '/explore/rewards/:network', lazy: async () => (await import('./pages/rewards.tsx')).default },
  { path: '/explore/sets', nav: 'My sets', lazy: async () => (await import('./pages/sets.tsx')).default },
  { path: '/explore/sets/:setId', lazy: async () => (await import('./pages/set.tsx')).default },
  { path: '/explore/sets/:setId/report', lazy: async () => (await import('./pages/report.tsx')).default },
  { path: '/explore/views', lazy: async () => (await import('./pages/views.tsx')).default },
  { path: '/explore/account', lazy: async () => (await import('./pages/account.tsx')).default },
];
