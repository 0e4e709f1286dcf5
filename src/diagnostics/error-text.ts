import { withoutTokens } from '../accounts/token-format.ts';

type Failure = { message?: string; code?: unknown; cause?: unknown; detail?: unknown; hint?: unknown };

/** Longest DETAIL or HINT that is printed, as a DETAIL may quote a row. */
const MAX_LENGTH = 1_000;

const isPresent = (value: unknown): value is string => typeof value === 'string' && value !== '';

function toldBy(error: unknown): Failure | undefined {
  for (let at = error as Failure | undefined, depth = 0; at && depth < 8; depth += 1) {
    if (isPresent(at.detail) || isPresent(at.hint)) return at;
    at = at.cause as Failure | undefined;
  }
  return undefined;
}

/** The message of a refusal is for clients of the API; its cause says what failed here. */
function messageOf({ message, code, cause }: Failure): string {
  return code === 'UNAVAILABLE' && cause instanceof Error ? cause.message : String(message);
}

/**
 * What a command prints of an error: the message, and PostgreSQL's DETAIL and HINT of it or of its causes. The APIs never
 * show these, because they may quote rows and statements.
 */
export function errorText(error: unknown): string {
  const message = messageOf(error as Failure);
  const details = toldBy(error);
  const lines = [
    ['DETAIL', details?.detail],
    ['HINT', details?.hint],
  ].flatMap(([name, text]) =>
    // A message may already quote it.
    isPresent(text) && !message.includes(text)
      ? [`${name}:  ${withoutTokens(text).slice(0, MAX_LENGTH)}`]
      : [],
  );
  return [message, ...lines].join('\n');
}
