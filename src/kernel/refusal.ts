export const refusalStatus = {
  BAD_INPUT: 400,
  UNAUTHENTICATED: 401,
  ALLOWANCE_USED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  QUERY_LIMIT: 400,
  COST_LIMIT: 400,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

const MAX_QUOTED = 80;
export const quoted = (given: string): string =>
  JSON.stringify(given.length > MAX_QUOTED ? `${given.slice(0, MAX_QUOTED)}…` : given);

/** `msg` names the error and its remedy; `loc` locates the input. */
export type Fault = { loc: (string | number)[]; msg: string; type: string };

type Extra = {
  faults?: Fault[];
  headers?: Record<string, string>;
  /** For the log only. */
  cause?: unknown;
};

/** Clients see only messages of this class. Other errors are masked and logged. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly faults: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: RefusalCode, message: string, extra: Extra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'Refusal';
    this.code = code;
    this.faults = extra.faults;
    this.headers = extra.headers ?? {};
  }
}

/** The most validators that a request names, so that each of them can have a fault. */
const MAX_FAULTS = 1_000;
const MAX_IN_MESSAGE = 20;

/** If there are very many faults, the last one says how many more there are. */
export function badInput(all: readonly Fault[]): Refusal {
  const more = (shown: number) => `${all.length - shown} more are not listed.`;
  const faults = all.slice(0, MAX_FAULTS);
  if (all.length > MAX_FAULTS) faults.push({ loc: [], msg: more(MAX_FAULTS), type: 'too_many' });
  const messages = all.slice(0, MAX_IN_MESSAGE).map(({ msg }) => msg);
  if (all.length > MAX_IN_MESSAGE) messages.push(more(MAX_IN_MESSAGE));
  return new Refusal('BAD_INPUT', messages.join(' '), { faults });
}

export const badArgument = (name: string, msg: string, type = 'value_error') =>
  badInput([{ loc: ['argument', name], msg, type }]);

export function collectFaults<Parts extends unknown[]>(
  ...makers: { [Index in keyof Parts]: () => Parts[Index] }
): Parts {
  const faults: Fault[] = [];
  const made = makers.map((make) => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Refusal) || !error.faults) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  });
  if (faults.length > 0) throw badInput(faults);
  return made as Parts;
}

export const unknownPath = () => new Refusal('NOT_FOUND', 'Not found.');

export const notFound = (what: string, where?: string) =>
  new Refusal('NOT_FOUND', `${what} was not found${where === undefined ? '' : ` ${where}`}.`);

export const unavailable = (seconds = 5, cause?: unknown) =>
  new Refusal('UNAVAILABLE', 'The service cannot answer right now. Try again later.', {
    headers: { 'retry-after': String(seconds) },
    cause,
  });
