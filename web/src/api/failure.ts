export type FailureKind =
  | 'token'
  | 'rate'
  | 'units'
  | 'missing'
  | 'input'
  | 'connection'
  | 'server'
  /** By the reader. */
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

type GraphqlError = { message: string; extensions?: { code?: string; faults?: { msg: string }[] } };

export function failureOf(response: Response, errors: GraphqlError[] | undefined): Failure {
  const [first] = errors ?? [];
  const kind = kinds[first?.extensions?.code ?? ''] ?? 'server';
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  return new Failure(
    kind,
    first?.message ?? `The gateway answered with status ${response.status}.`,
    retryAfter,
  );
}
