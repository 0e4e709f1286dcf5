import { useEffect } from 'react';
import { store } from './store.ts';

/** Requests in flight. */
export const inFlight = store(0);

/** What the newest navigation requested, until its data or its failure are shown: React shows the page before. */
export const awaited = store<unknown>(undefined);

export function useBusy(): boolean {
  const requests = inFlight.use();
  const page = awaited.use();
  return requests > 0 || page !== undefined;
}

/** To be rendered with what was requested. Effects run from the inside out, so plots are drawn before it counts as shown. */
export function Shown({ request }: { request: unknown }) {
  useEffect(() => {
    if (awaited.get() === request) awaited.set(undefined);
  }, [request]);
  return null;
}
