export type FailureKind =
  | 'token'
  | 'rate'
  | 'units'
  | 'missing'
  | 'input'
  | 'connection'
  | 'server'
  /** Stopped by the reader. */
  | 'stopped';

const kinds: Record<string, FailureKind> = {
  UNAUTHENTICATED: 'token',
  RATE_LIMITED: 'rate',
  ALLOWANCE_USED: 'units',
  COST_LIMIT: 'units',
  NOT_FOUND: 'missing',
  BAD_INPUT: 'input',
};

let failures = 0;

/** Why a page has no data. */
export class Failure extends Error {
  readonly id = ++failures;
  readonly kind: FailureKind;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined;
  /** How to try again, if not by another request for the data of the page. */
  readonly retry: (() => Promise<void>) | undefined;

  constructor(kind: FailureKind, message: string, retryAfter?: number, retry?: () => Promise<void>) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.retry = retry;
  }
}

export const UNREACHABLE = 'The gateway cannot be reached.';

/** For a page whose URL names something that cannot exist, or does not. */
export const missing = (message: string) => new Failure('missing', message);

/** Whether the gateway, or all behind it, was away: the same request may succeed later. */
export const isAway = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.kind === 'connection' || (failure.kind === 'server' && failure.retryAfter !== undefined));

/** Refused for its token, rate or units, among others: another try would only be refused again. */
export const isFinal = ({ kind }: Failure) => !['connection', 'server', 'input'].includes(kind);

export type GraphqlError = { message: string; extensions?: { code?: string; faults?: { msg: string }[] } };

/** What a proxy answers while the gateway behind it is away. */
const AWAY = [502, 503, 504];

export function failureOf(
  /** Absent if there was none, and for the errors in an event of a stream. */
  response: Pick<Response, 'status' | 'headers'> | undefined,
  errors: GraphqlError[] | undefined,
): Failure {
  const [first] = errors ?? [];
  if (!first && (!response || AWAY.includes(response.status))) return new Failure('connection', UNREACHABLE);
  const kind = kinds[first?.extensions?.code ?? ''] ?? 'server';
  const retryAfter = Number(response?.headers.get('retry-after')) || undefined;
  return new Failure(
    kind,
    first?.message ?? `The gateway answered with status ${response?.status}.`,
    retryAfter,
  );
}
