import {
  Component,
  type ComponentType,
  createContext,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { fetchQuery, loadQuery, type PreloadedQuery, usePreloadedQuery } from 'react-relay';
import { type LoaderFunctionArgs, type Params, useLoaderData, useRevalidator } from 'react-router';
import { type GraphQLTaggedNode, getRequest, type OperationType } from 'relay-runtime';
import { awaited, Shown } from './api/busy.ts';
import { environment, type Revisions, revisionsOf } from './api/environment.ts';
import { Failure, isAway, isFinal } from './api/failure.ts';
import { loadFiles } from './api/files.ts';
import { patiently } from './api/patience.ts';
import { token } from './api/token.ts';
import { Loading, NeedsToken, Outdated, Problem } from './states.tsx';
import { type Network, networkOf } from './url/network.ts';
import { strictly } from './url/url-state.ts';

/** What the URL of a page says. */
export type Place = { params: Params; search: URLSearchParams; network: Network };

type Definition<Q extends OperationType> = {
  /** The one document of the page. */
  query: GraphQLTaggedNode;
  /** Variables of the query; throws a Failure when the URL names something impossible. */
  variables: (place: Place) => Q['variables'];
  View: ComponentType<{ data: Q['response']; place: Place }>;
  /** What is shown where the gateway has refused the data, if not the usual notice in place of the page. */
  Refused?: ComponentType<{ failure: Failure; place: Place }>;
  /** Loads files that only this view of the page needs, while its data are on the way. */
  files?: (place: Place) => Promise<unknown>;
  /** Requests the data each time, because it changes with every request. */
  fresh?: boolean;
};

type Loaded<Q extends OperationType> = {
  ref: PreloadedQuery<Q>;
  place: Place;
  variables: Q['variables'];
  /** Why it has no data, or undefined once it has. */
  outcome: Promise<Failure | undefined>;
};

const outcomeOf = ({ source }: PreloadedQuery<OperationType>) =>
  new Promise<Failure | undefined>((resolve) => {
    if (!source) return resolve(undefined); // the store has the data
    source.subscribe({
      complete: () => resolve(undefined),
      error: (error: Error) => resolve(error as Failure),
    });
  });

export type Source = {
  text: string;
  variables: object;
  /** The response, as Relay reads it. */
  data?: unknown;
  revision?: Revisions | undefined;
  refresh: (options?: { once?: boolean }) => Promise<Failure | undefined>;
  /** Set while the gateway is away: the page shows what it had, and is requested until the gateway is back. */
  away?: Failure | undefined;
  setAway: (failure: Failure) => void;
};
const SourceContext = createContext<Source>({
  text: '',
  variables: {},
  refresh: async () => undefined,
  setAway: () => undefined,
});
/** The document that the page was made from, and its variables. */
export const useSource = () => use(SourceContext);
/**
 * Requests the document again. The page stays as it is until then, and says so if the request fails. With `once`, it does
 * not wait for the rate of the token, and leaves it to the caller to say that the token was refused.
 */
export const useRefresh = () => use(SourceContext).refresh;

/** Shows the failure of a request, until there is another one. React Router's own boundary misses a quick retry. */
class Boundary extends Component<{
  request: unknown;
  /** What is shown of a failure. */
  show: (error: unknown) => ReactNode;
  children: ReactNode;
}> {
  override state: { request?: unknown; failure?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ request }: { request: unknown }, state: { request?: unknown }) {
    return request === state.request ? null : { request, failure: undefined };
  }

  override render() {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return (
      <>
        {this.props.show(failure.error)}
        <Shown request={this.props.request} />
      </>
    );
  }
}

/** Makes a route that sends its document before it renders. */
export function page<Q extends OperationType>(definition: Definition<Q>) {
  const { query, variables: of, View, Refused, files, fresh } = definition;
  const { name, text } = getRequest(query).params;

  function loader({ params, request }: LoaderFunctionArgs): Loaded<Q> | null | Promise<Loaded<Q>> {
    awaited.set(undefined);
    if (!token()) return null;
    const search = new URL(request.url).searchParams;
    const { place, variables } = strictly(() => {
      const place = { params, search, network: networkOf(search) };
      return { place, variables: of(place) };
    });
    const options = { fetchPolicy: fresh ? 'network-only' : 'store-or-network' } as const;
    const ref = loadQuery<Q>(environment, query, variables, options);
    const loaded = { ref, place, variables, outcome: outcomeOf(ref) };
    awaited.set(loaded);
    return files
      ? loadFiles(
          () => files(place),
          () => request.url,
        ).then(() => loaded)
      : loaded;
  }

  function Content({ ref: loaded, place, variables, failed }: Loaded<Q> & { failed: Failure | undefined }) {
    const { revalidate } = useRevalidator();
    const data = usePreloadedQuery<Q>(query, loaded);
    useEffect(() => () => loaded.dispose(), [loaded]);
    const [asked, setAsked] = useState<{ of?: unknown; failure?: Failure }>({});
    const setAway = useCallback((failure: Failure) => setAsked({ of: loaded, failure }), [loaded]);
    const refresh = useCallback(
      async ({ once = false } = {}) => {
        const again = () =>
          fetchQuery<Q>(environment, query, variables, { networkCacheConfig: { force: true } }).toPromise();
        try {
          await (once ? again() : patiently(again));
          setAsked({}); // also after a success, because the same data may have another revision
          return undefined;
        } catch (error) {
          const failure = error as Failure;
          if (!once || !isFinal(failure)) setAsked({ of: loaded, failure });
          return failure;
        }
      },
      [loaded, variables],
    );
    const failure = failed ?? (asked.of === loaded ? asked.failure : undefined);
    const away = isAway(failure) ? failure : undefined;
    const revision = revisionsOf(name, variables);
    const isWaiting = away !== undefined;
    const again = useCallback(async () => {
      await (failed ? revalidate() : refresh({ once: isWaiting }));
    }, [failed, isWaiting, revalidate, refresh]);
    return (
      <SourceContext value={{ text: text ?? '', variables, data, revision, refresh, away, setAway }}>
        {failure && <Outdated failure={failure} isAway={isWaiting} retry={again} />}
        <div className="content" data-stale={away && ''}>
          <View data={data} place={place} />
        </div>
      </SourceContext>
    );
  }

  /** While the gateway is away, keeps the page that was shown before, with whatever has changed in it. */
  function Newest({ loaded }: { loaded: Loaded<Q> }) {
    const failure = use(loaded.outcome);
    const shown = useRef<Loaded<Q>>(undefined);
    const kept = isAway(failure) ? shown.current : undefined;
    if (failure && !kept) throw failure;
    useEffect(() => {
      if (kept) return () => loaded.ref.dispose();
      shown.current = loaded;
      return undefined;
    }, [kept, loaded]);
    return <Content {...(kept ?? loaded)} failed={kept && failure} />;
  }

  function Route() {
    const loaded = useLoaderData() as Loaded<Q> | null;
    if (!loaded) return <NeedsToken />;
    const show = (error: unknown) =>
      Refused && error instanceof Failure ? (
        <Refused failure={error} place={loaded.place} />
      ) : (
        <Problem error={error} />
      );
    return (
      <Boundary request={loaded} show={show}>
        <Suspense fallback={<Loading />}>
          <Newest loaded={loaded} />
          <Shown request={loaded} />
        </Suspense>
      </Boundary>
    );
  }

  return { loader, Component: Route };
}
