import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { isRouteErrorResponse, Link, useLocation, useRevalidator, useRouteError } from 'react-router';
import { awaited } from './api/busy.ts';
import { Failure, type FailureKind } from './api/failure.ts';
import { changeToken, tokenFailure } from './api/token.ts';
import { titled } from './brand.tsx';
import { count } from './parts/format.ts';
import { FindOperator } from './parts/operator-filter.tsx';
import { useHref } from './url/use-network.ts';

/** A whole page, or a part of one, that has nothing to show. */
export function Notice({ title, children, kind }: { title: string; children?: ReactNode; kind?: string }) {
  return (
    <section className="notice" data-kind={kind} role={kind && kind !== 'token' ? 'alert' : undefined}>
      <title>{titled(title)}</title>
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** Shown instead of rows if there are none, which is no error. */
export const Empty = ({ children }: { children: ReactNode }) => (
  <p className="empty" role="status">
    {children}
  </p>
);

export const Loading = () => (
  <div className="loading" role="status">
    <span className="visually-hidden">Loading…</span>
    <div className="skeleton title" />
    <div className="tiles">
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <div key={key} className="skeleton tile" />
      ))}
    </div>
    <div className="figures">
      <div className="skeleton plot" />
      <div className="skeleton plot" />
    </div>
  </div>
);

function TokenForm() {
  const use = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    changeToken(String(new FormData(event.currentTarget).get('token')).trim());
  };
  return (
    <form className="token" autoComplete="off" onSubmit={use}>
      <label>
        Access token{' '}
        <input
          id="token"
          name="token"
          required
          pattern="\s*[!-~]+\s*"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <button type="submit">Sign in</button>
    </form>
  );
}

export const NeedsToken = ({ refused = false }: { refused?: boolean }) => (
  <Notice kind="token" title={refused ? 'The access token is not valid' : 'An access token is needed'}>
    {tokenFailure && <p role="alert">{tokenFailure}</p>}
    <p>
      {refused
        ? 'It was revoked or has expired. Enter another one.'
        : 'Every figure is read with a token. On the machine of the gateway, "npx stakegraph open" prints a link that fills it in.'}
    </p>
    <TokenForm />
    <p className="hint">
      The token is kept in this tab only and shared with GraphiQL and the REST reference in open tabs. It is
      gone when all are closed.
    </p>
  </Notice>
);

/** Tries again whenever the time has passed; by default to request the page. */
export function Countdown({ seconds, retry: given }: { seconds: number; retry?: () => Promise<void> }) {
  const { revalidate } = useRevalidator();
  const retry = given ?? revalidate;
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    let end = performance.now() + seconds * 1_000;
    let isTrying = false;
    const timer = setInterval(async () => {
      const rest = Math.ceil((end - performance.now()) / 1_000);
      setLeft(Math.max(0, rest));
      if (rest > 0 || isTrying) return;
      isTrying = true;
      await retry();
      isTrying = false;
      end = performance.now() + seconds * 1_000;
    }, 250);
    return () => clearInterval(timer);
  }, [seconds, retry]);
  return <p role="timer">Trying again in {count(left)} s.</p>;
}

const titles: Record<Exclude<FailureKind, 'token'>, string> = {
  stopped: 'Stopped',
  rate: 'Too many requests',
  units: 'No compute units left',
  missing: 'Not found',
  input: 'The address of this page is not valid',
  connection: 'The gateway cannot be reached',
  server: 'Something went wrong',
};

const failureFrom = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  if (isRouteErrorResponse(error) && error.status === 404)
    return new Failure('missing', 'There is no such page.');
  return new Failure('server', error instanceof Error ? error.message : String(error));
};

/** For failures of a route before it has a page. */
export function RouteProblem() {
  useEffect(() => awaited.set(undefined), []);
  return <Problem error={useRouteError()} />;
}

const RECONNECT_SECONDS = 5;

/** Above a page that could not be requested again: what it shows may be old. While the gateway is away, tries by itself. */
export function Outdated(props: { failure: Failure; isAway: boolean; retry: () => Promise<void> }) {
  const { failure, isAway, retry } = props;
  const { message, retryAfter } = failure;
  return (
    <div className="outdated" role="status">
      <p>
        {isAway
          ? `${message} This page shows what it had before.`
          : `This page shows what was stored before: it could not be requested again. ${message}`}
      </p>
      {isAway && <Countdown seconds={retryAfter ?? RECONNECT_SECONDS} retry={retry} />}
      <button type="button" onClick={() => void retry()}>
        {isAway ? 'Try now' : 'Request it again'}
      </button>
    </div>
  );
}

/** What a page shows in place of its data. */
export function Problem({ error }: { error: unknown }) {
  const failure = failureFrom(error);
  const { revalidate } = useRevalidator();
  const href = useHref();
  const { pathname, search } = useLocation();
  const { kind, message, retryAfter, retry = revalidate } = failure;
  if (kind === 'token') return <NeedsToken refused />;
  const waits = kind === 'rate' || kind === 'connection' || retryAfter !== undefined;
  const isOfAddress = kind === 'missing' || kind === 'input';
  const bare = href(pathname);
  return (
    <Notice kind={kind} title={titles[kind]}>
      {message !== `${titles[kind]}.` && <p>{message}</p>}
      {kind === 'missing' && <FindOperator />}
      {kind === 'rate' && <p>The tier of the token allows only so many requests a second.</p>}
      {kind === 'units' && (
        <p>Units are counted for the account of the token; whoever runs this gateway can raise its tier.</p>
      )}
      {waits && (
        <Countdown
          key={failure.id}
          seconds={retryAfter ?? (kind === 'connection' ? RECONNECT_SECONDS : 1)}
          retry={retry}
        />
      )}
      <p className="actions">
        {!isOfAddress && (
          <button type="button" onClick={() => void retry()}>
            Try again
          </button>
        )}
        {isOfAddress && bare !== pathname + search && <Link to={bare}>Without filters</Link>}
        <Link to={href('/')}>Overview</Link>
      </p>
    </Notice>
  );
}
