import {
  Component,
  type ComponentType,
  createContext,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useState,
} from 'react';
import { fetchQuery, loadQuery, type PreloadedQuery, usePreloadedQuery } from 'react-relay';
import { type LoaderFunctionArgs, type Params, useLoaderData } from 'react-router';
import { type GraphQLTaggedNode, getRequest, type OperationType } from 'relay-runtime';
import { awaited, Shown } from './api/busy.ts';
import { environment, type Revisions, revisionsOf } from './api/environment.ts';
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
  /** Its variables; throws a Failure when the URL names something impossible. */
  variables: (place: Place) => Q['variables'];
  View: ComponentType<{ data: Q['response']; place: Place }>;
  /** Requests the data each time, because it changes with every request. */
  fresh?: boolean;
};

type Loaded<Q extends OperationType> = { ref: PreloadedQuery<Q>; place: Place; variables: Q['variables'] };

export type Source = {
  text: string;
  variables: object;
  revision?: Revisions | undefined;
  refresh: () => Promise<void>;
};
const SourceContext = createContext<Source>({ text: '', variables: {}, refresh: async () => undefined });
/** The document that the page was made from, and its variables. */
export const useSource = () => use(SourceContext);
/** Requests the document again. The page stays as it is until then, and says so if the request fails. */
export const useRefresh = () => use(SourceContext).refresh;

/** Shows the failure of a request, until there is another one. React Router's own boundary misses a quick retry. */
class Boundary extends Component<{ request: unknown; children: ReactNode }> {
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
        <Problem error={failure.error} />
        <Shown request={this.props.request} />
      </>
    );
  }
}

/** Makes a route that sends its document before it renders. */
export function page<Q extends OperationType>({ query, variables: of, View, fresh }: Definition<Q>) {
  const { name, text } = getRequest(query).params;

  function loader({ params, request }: LoaderFunctionArgs): Loaded<Q> | null {
    awaited.set(undefined);
    if (!token()) return null;
    const search = new URL(request.url).searchParams;
    const { place, variables } = strictly(() => {
      const place = { params, search, network: networkOf(search) };
      return { place, variables: of(place) };
    });
    const options = { fetchPolicy: fresh ? 'network-only' : 'store-or-network' } as const;
    const loaded = { ref: loadQuery<Q>(environment, query, variables, options), place, variables };
    awaited.set(loaded);
    return loaded;
  }

  function Content({ ref: loaded, place, variables }: Loaded<Q>) {
    const data = usePreloadedQuery<Q>(query, loaded);
    useEffect(() => () => loaded.dispose(), [loaded]);
    const [asked, setAsked] = useState<{ of?: unknown; failure?: Error }>({});
    const refresh = useCallback(async () => {
      const again = () =>
        fetchQuery<Q>(environment, query, variables, { networkCacheConfig: { force: true } });
      // The state changes also after a success, because the same data may have another revision.
      await patiently(() => again().toPromise()).then(
        () => setAsked({}),
        (failure) => setAsked({ of: loaded, failure }),
      );
    }, [loaded, variables]);
    const failure = asked.of === loaded ? asked.failure : undefined;
    const revision = revisionsOf(name, variables);
    return (
      <SourceContext value={{ text: text ?? '', variables, revision, refresh }}>
        {failure && <Outdated failure={failure} retry={() => void refresh()} />}
        <View data={data} place={place} />
      </SourceContext>
    );
  }

  function Route() {
    const loaded = useLoaderData() as Loaded<Q> | null;
    if (!loaded) return <NeedsToken />;
    return (
      <Boundary request={loaded}>
        <Suspense fallback={<Loading />}>
          <Content {...loaded} />
          <Shown request={loaded} />
        </Suspense>
      </Boundary>
    );
  }

  return { loader, Component: Route };
}
