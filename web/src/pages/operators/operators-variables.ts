import type { operatorsQuery } from '../../__generated__/operatorsQuery.graphql';
import type { Place } from '../../page.tsx';
import { idTypeOf } from '../../url/links.ts';
import { integer, oneOf, orderBy, pageOf, text } from '../../url/url-state.ts';
import { hasHistory, orderIn, windowOf, windows } from '../../url/windows.ts';

const PAGE_SIZE = 20;
/** Each day of a row is 12 bytes on the way: on a slow network, a month of them would delay all of the list. */
export const TREND_DAYS = 14;
export const DRAWN = 40;
/** The longest page of the API. */
const MOST = 200;

export const classes = oneOf(
  'class',
  ['pool', 'node-operator', 'pool-share', 'deposit-address', 'withdrawal-address'],
  'pool',
);
export const poolTypes = oneOf('type', ['all', 'lst', 'cex'], 'all');
export const poolTypeNames = { all: 'All', lst: 'Liquid staking', cex: 'Exchanges' };
export const name = text('name');
export const tag = text('tag');
export const least = integer('min');
export const filters = [name, tag, least, poolTypes];
export const order = orderBy(
  [
    'NETWORK_PENETRATION',
    'NETWORK_PENETRATION_CHANGE',
    'SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE',
    'VALIDATOR_COUNT',
    'AVG_VALIDATOR_EFFECTIVENESS',
    'MISSED_PROPOSAL_COUNT',
    'APR_PERCENTAGE',
    'OPERATOR_ID',
  ],
  'NETWORK_PENETRATION',
);

/** The server has no search by name among addresses. */
export const hasNames = (slug: string) => !slug.endsWith('address');

export function variables({ network, search }: Place): operatorsQuery['variables'] {
  const slug = classes.read(search);
  const where = {
    ...(hasNames(slug) && name.read(search) !== '' && { name: name.read(search) }),
    ...(tag.read(search) !== '' && { tags: [tag.read(search)] }),
    ...(least.read(search) !== undefined && { minValidators: least.read(search) }),
  };
  const window = windowOf(search, windows);
  const poolType = slug === 'pool' ? (poolTypes.read(search).toUpperCase() as 'ALL') : 'ALL';
  const isEveryPool = slug === 'pool' && poolType === 'ALL' && Object.keys(where).length === 0;
  // Figures of all time may begin with another day than those of the network.
  const hasRest = isEveryPool && window !== 'ALL';
  return {
    network,
    window,
    idType: idTypeOf(slug),
    poolType,
    where: Object.keys(where).length > 0 ? where : null,
    orderBy: orderIn(window, order.read(search), order.fallback),
    ...pageOf(search, PAGE_SIZE),
    days: TREND_DAYS,
    hasHistory: hasHistory(search, windows),
    hasRest,
    // Who asks for missed blocks also gets what validators in no pool missed, of more pools than are drawn.
    drawn: hasRest && order.read(search).field === 'MISSED_PROPOSAL_COUNT' ? MOST : DRAWN,
  };
}
