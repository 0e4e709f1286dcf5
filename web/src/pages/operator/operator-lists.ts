import { listOf } from '../../url/url-state.ts';

const PAGE_SIZE = 20;
/** The lists of a tab, as they are named in the URL. */
export const [SHARES, MISSED, SLASHED, MOVES] = ['shares', 'missed', 'slashed', 'moves'] as const;

/** The pages of lists, as variables of the document. */
export const listsOf = (search: URLSearchParams) => ({
  ...listOf(search, PAGE_SIZE, SHARES),
  ...listOf(search, PAGE_SIZE, MISSED),
  ...listOf(search, PAGE_SIZE, SLASHED),
  ...listOf(search, PAGE_SIZE, MOVES),
});
