import type { Client } from 'graphql-sse';
import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  Store,
  type SubscribeFunction,
  type Variables,
} from 'relay-runtime';
import { at, base } from '../url/base.ts';
import { inFlight } from './busy.ts';
import { Failure, failureOf, UNREACHABLE } from './failure.ts';
import { bodyOf, postGraphql } from './post.ts';
import { store } from './store.ts';
import { token } from './token.ts';

export type Revisions = Record<string, number>;
export type Cost = { estimated: number; charged: number; remaining: string | number | null };

/** What the last response cost, in compute units. */
export const lastCost = store<Cost | undefined>(undefined);
/** Whether the page shows rows of the sample data; until a page had data, whether the gateway has any. */
export const showsSample = store(document.querySelector('meta[name="sample-data"]') !== null);
/** Revisions of the datasets behind the last response to a document, which subscriptions continue. */
const revisions = new Map<string, Revisions>();
const keyOf = (name: string, variables: Variables) => `${name} ${JSON.stringify(variables)}`;
export const revisionsOf = (name: string, variables: Variables) => revisions.get(keyOf(name, variables));

export type Request = { id: string; view: string; name: string; time: string; charged: number };
const REQUESTS_KEPT = 200;
/** What the queries of this tab cost since it was loaded, newest first. */
export const requests = store<readonly Request[]>([]);
let numbered = 0;

function noteCost(view: string, name: string, cost: Cost) {
  lastCost.set(cost);
  const request = {
    id: String(++numbered),
    view,
    name,
    time: new Date().toISOString(),
    charged: cost.charged,
  };
  requests.set([request, ...requests.get()].slice(0, REQUESTS_KEPT));
}

const FRESH_MS = 60_000;

const fetchGraphql: FetchFunction = async ({ text, name: operationName }, variables) => {
  inFlight.set(inFlight.get() + 1);
  try {
    const response = await postGraphql(bodyOf(text, operationName, variables)).catch(() => {
      throw new Failure('connection', UNREACHABLE);
    });
    const body = await response.json().catch(() => ({}));
    if (body.extensions?.cost)
      noteCost(location.pathname.slice(base.length), operationName, body.extensions.cost);
    if (body.extensions?.revision) {
      const { revision, sample } = body.extensions;
      revisions.set(keyOf(operationName, variables), revision);
      // A response without data, as of an account, leaves what the tab knows.
      if (Object.keys(revision).length > 0) showsSample.set(sample !== undefined);
    }
    if (!response.ok || body.errors) throw failureOf(response, body.errors);
    return body;
  } finally {
    inFlight.set(inFlight.get() - 1);
  }
};

/** The client aborts a refused request, after which the reason in its body cannot be read. */
async function openStream(input: RequestInfo | URL, init?: RequestInit) {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  return Object.assign(response, { failure: failureOf(response, body.errors) });
}

const failureOfStream = (error: unknown): Failure =>
  (error as { response?: { failure?: Failure } }).response?.failure ?? new Failure('connection', UNREACHABLE);

/** The client of streams, loaded when a page follows one. */
let client: Promise<Client> | undefined;
const streams = () => {
  client ??= import('graphql-sse').then(({ createClient }) =>
    createClient({
      fetchFn: openStream,
      url: at('/graphql'),
      retryAttempts: 0, // `useLive` continues with another `after`
      headers: () => ({ authorization: `Bearer ${token()}` }),
    }),
  );
  client.catch(() => {
    client = undefined;
  });
  return client;
};

const subscribe: SubscribeFunction = ({ text, name: operationName }, variables) =>
  Observable.create<GraphQLResponse>((sink) => {
    let stop: (() => void) | undefined;
    streams().then(
      (loaded) => {
        if (sink.closed) return;
        stop = loaded.subscribe(
          { query: text ?? '', operationName, variables },
          {
            next: (event) => sink.next(event as GraphQLResponse),
            error: (error) => sink.error(failureOfStream(error)),
            complete: () => sink.complete(),
          },
        );
      },
      () => sink.error(new Failure('connection', UNREACHABLE)),
    );
    return () => stop?.();
  });

export const environment = new Environment({
  network: Network.create(fetchGraphql, subscribe),
  store: new Store(new RecordSource(), { queryCacheExpirationTime: FRESH_MS }),
});
