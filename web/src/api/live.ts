import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { commitLocalUpdate, requestSubscription } from 'react-relay';
import type { GraphQLTaggedNode, OperationType } from 'relay-runtime';
import { useSource } from '../page.tsx';
import { environment } from './environment.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

const onVisibility = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};
type GraphqlFailure = Error & { source?: { errors?: { extensions?: { code?: string } }[] } };
const isRefused = ({ source }: GraphqlFailure) =>
  source?.errors?.some(({ extensions }) => extensions?.code === 'BAD_INPUT');

/** Streams are few for a token and for a browser, so hidden tabs hold none. */
const useVisible = () => useSyncExternalStore(onVisibility, () => !document.hidden);

/**
 * Follows a subscription with an `after` while the tab is shown, from the revision of the page's data on. After an
 * interruption it continues where it was cut off, and requests the page again if the gateway no longer knows that
 * revision. Returns whether it is connected.
 */
export function useLive<S extends OperationType & { variables: { after?: number | null } }>(options: {
  subscription: GraphQLTaggedNode;
  variables: Omit<S['variables'], 'after'>;
  /** The dataset whose revisions the subscription counts. */
  dataset: string;
  revisionOf: (event: S['response']) => number | undefined;
  onEvent: (event: S['response']) => void;
}): boolean {
  const { subscription, variables, dataset } = options;
  const { revision, refresh } = useSource();
  const from = revision?.[dataset];
  const page = useRef(from); // the revision of the data that is shown
  const after = useRef(from);
  const reload = useEffectEvent(() => {
    commitLocalUpdate(environment, (store) => store.invalidateStore());
    void refresh();
  });
  const [isLive, setLive] = useState(false);
  const visible = useVisible();
  const take = useEffectEvent((event: S['response']) => {
    after.current = options.revisionOf(event) ?? after.current;
    options.onEvent(event);
  });
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (!visible) return;
    if (page.current !== from) after.current = page.current = from;
    let wait = FIRST_WAIT_MS;
    let timer: ReturnType<typeof setTimeout>;
    let stream: { dispose(): void };
    const start = () => {
      stream = requestSubscription<S>(environment, {
        subscription,
        variables: { ...JSON.parse(key), after: after.current },
        onNext: (event) => {
          setLive(true);
          wait = FIRST_WAIT_MS;
          if (event) take(event);
        },
        onError: (error) => {
          if (isRefused(error)) reload();
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
  }, [visible, subscription, key, from]);
  return isLive;
}
