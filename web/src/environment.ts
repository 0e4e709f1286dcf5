import { Environment, type FetchFunction, Network, RecordSource, Store } from 'relay-runtime';
import { Failure, failureOf } from './failure.ts';
import { store } from './store.ts';
import { token } from './token.ts';

export type Cost = { estimated: number; charged: number; remaining: string | number | null };

/** What the last response cost, in compute units. */
export const lastCost = store<Cost | undefined>(undefined);
/** Requests in flight. */
export const inFlight = store(0);

const FRESH_MS = 60_000;

const fetchGraphql: FetchFunction = async ({ text, name: operationName }, variables) => {
  inFlight.set(inFlight.get() + 1);
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json',
        authorization: `Bearer ${token()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: text, operationName, variables }),
    }).catch(() => {
      throw new Failure('connection', 'The gateway cannot be reached.');
    });
    const body = await response.json().catch(() => ({}));
    if (body.extensions?.cost) lastCost.set(body.extensions.cost);
    if (!response.ok || body.errors) throw failureOf(response, body.errors);
    return body;
  } finally {
    inFlight.set(inFlight.get() - 1);
  }
};

export const environment = new Environment({
  network: Network.create(fetchGraphql),
  store: new Store(new RecordSource(), { queryCacheExpirationTime: FRESH_MS }),
});
