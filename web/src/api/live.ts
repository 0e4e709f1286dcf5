import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { commitLocalUpdate, requestSubscription } from 'react-relay';
import type { GraphQLTaggedNode, OperationType } from 'relay-runtime';
import { useSource } from '../page.tsx';
import { environment } from './environment.ts';
import { Failure, failureOf, type GraphqlError, isAway, isFinal } from './failure.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

const onVisibility = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/** Streams are few for a token and for a browser, so hidden tabs hold none. */
const useVisible = () => useSyncExternalStore(onVisibility, () => !document.hidden);

/** Relay's error has the errors in an event as its source. */
const failureFrom = (error: Error & { source?: { errors?: GraphqlError[] } }): Failure =>
  error instanceof Failure ? error : failureOf(undefined, error.source?.errors);

export type Live = {
  isLive: boolean;
  /** Why the page is followed no longer; nothing is tried until `resume` is called. */
  ended: Failure | undefined;
  resume: () => void;
};

/**
 * Follows a subscription with an `after` while the tab is shown, from the revision of the page's data on. After an
 * interruption it continues where it was cut off, and requests the page again if the gateway no longer knows that
 * revision. It ends when the token is refused, its allowance is used up or its rate is exceeded, by the stream or by the
 * page that an event made request again.
 */
export function useLive<S extends OperationType & { variables: { after?: number | null } }>(options: {
  subscription: GraphQLTaggedNode;
  variables: Omit<S['variables'], 'after'>;
  /** The dataset whose revisions the subscription counts. */
  dataset: string;
  revisionOf: (event: S['response']) => number | undefined;
  /** `reload` requests the page again. */
  onEvent: (event: S['response'], reload: () => void) => void;
}): Live {
  const { subscription, variables, dataset } = options;
  const { revision, refresh, away, setAway } = useSource();
  const from = revision?.[dataset];
  const page = useRef(from); // the revision of the data that is shown
  const after = useRef(from);
  const [isLive, setLive] = useState(false);
  const [ended, setEnded] = useState<Failure>();
  const visible = useVisible();
  const reload = useEffectEvent(async () => {
    commitLocalUpdate(environment, (store) => store.invalidateStore());
    const failure = await refresh({ once: true });
    if (failure && isFinal(failure)) setEnded(failure);
  });
  const take = useEffectEvent((event: S['response']) => {
    setLive(true);
    after.current = options.revisionOf(event) ?? after.current;
    options.onEvent(event, () => void reload());
  });
  const tellAway = useEffectEvent(setAway);
  const key = JSON.stringify(variables);
  const isAwaited = away !== undefined; // the page is requested until the gateway is back
  useEffect(() => {
    if (!visible || ended || isAwaited) return;
    if (page.current !== from) after.current = page.current = from;
    let wait = FIRST_WAIT_MS;
    let timer: ReturnType<typeof setTimeout>;
    let stream: { dispose(): void };
    const start = () => {
      let isOpen = false;
      stream = requestSubscription<S>(environment, {
        subscription,
        variables: { ...JSON.parse(key), after: after.current },
        onNext: (event) => {
          isOpen = true;
          wait = FIRST_WAIT_MS;
          if (event) take(event);
        },
        onError: (error) => {
          setLive(false);
          const failure = failureFrom(error);
          if (isFinal(failure)) return setEnded(failure);
          if (failure.kind === 'input') void reload();
          else if (isAway(failure) && !isOpen) return tellAway(failure);
          restart();
        },
        onCompleted: restart,
      });
    };
    function restart() {
      setLive(false);
      timer = setTimeout(start, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
    start();
    return () => {
      clearTimeout(timer);
      stream.dispose();
      setLive(false);
    };
  }, [visible, subscription, key, from, ended, isAwaited]);
  return { isLive, ended, resume: () => setEnded(undefined) };
}
