import { destination, type Logger, pino } from 'pino';
import type { Settings } from '../config/index.ts';

const MAX_LOG_BYTES = 1_000_000;

/**
 * Of other properties, an error of a connection has the whole client, with its cancel key and the text of its statements,
 * and an error of a statement may have a row.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type, message, stack, cause } = error;
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown };
  return {
    ...{ type, message, stack, code },
    ...(cause !== undefined && { cause: errorFields(cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(errorFields) }),
  };
}

/** Writes to stderr, because stdout is for people. What a full disk does not take waits, and is dropped beyond a limit. */
export function makeLog({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>): Logger {
  const stderr = destination({ fd: 2, sync: true, maxLength: MAX_LOG_BYTES });
  stderr.on('error', () => undefined);
  return pino(
    {
      level: LOG_LEVEL,
      redact: ['req.headers.authorization', 'headers.authorization'],
      serializers: { err: errorFields },
    },
    // without flushSync, which would block until the disk has space
    { write: (line) => void stderr.write(line) },
  );
}
