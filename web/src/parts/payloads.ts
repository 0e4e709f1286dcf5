/** What the schema calls a payload and the payment of a bid, in words. */
export const payloads = { FULL: 'full', EMPTY: 'empty', UNKNOWN: 'not known yet' };
export const payments = {
  SETTLED: 'paid',
  QUORUM: 'paid without the payload',
  UNPAID: 'not paid',
  CANCELLED: 'cancelled by a slashing',
};
