import pg from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, type Server } from '../config/database-url.ts';

export const ACQUIRE_DEADLINE_MS = 5_000;

export type Target = {
  /** Configuration of the server that `choose` found last, or of the URL's first server. */
  config(): pg.ClientConfig;
  /** Chooses the first reachable server with the role that the URL asks for. If there is none, throws all faults. */
  choose(): Promise<void>;
  onChange(listener: () => void): void;
};

const PROBE_MS = 2_000;

type Attempt = Server & { ssl: pg.ClientConfig['ssl'] };
type Failed = { attempt: Attempt; fault: Error };

const targets = new Map<string, Target>();

export function targetOf(url: string): Target {
  const known = targets.get(url);
  if (known) return known;
  const target = makeTarget(parseDatabaseUrl(url));
  targets.set(url, target);
  return target;
}

function makeTarget({ servers, tls, attrs, config }: DatabaseUrl): Target {
  const attempts = servers.map((server) =>
    (isSocket(server) ? [false] : tls).map(
      (used): Attempt => ({ ...server, ssl: used ? (config.ssl ?? true) : false }),
    ),
  );
  let chosen = attempts[0]?.[0] as Attempt;
  let choosing: Promise<void> | undefined;
  const listeners: (() => void)[] = [];
  const probeMs = servers.length > 1 ? PROBE_MS : (config.connectionTimeoutMillis ?? ACQUIRE_DEADLINE_MS);

  async function find() {
    const faults = new Map<string, Error>();
    const passes = attrs === 'prefer-standby' ? (['standby', 'any'] as const) : [attrs];
    for (const wanted of passes) {
      for (const ofServer of attempts) {
        const found = await firstUsable({ ...config, connectionTimeoutMillis: probeMs }, ofServer, wanted);
        if ('fault' in found) {
          faults.set(`${ofServer[0]?.host}:${ofServer[0]?.port}`, found.fault);
          // Connections then fail for the same reason, not because the server lacks TLS.
          if (ofServer.includes(chosen)) chosen = found.attempt;
          continue;
        }
        if (found === chosen) return;
        chosen = found;
        for (const listener of listeners) listener();
        return;
      }
    }
    throw servers.length === 1 ? [...faults.values()][0] : noneUsable(faults);
  }

  const isFixed = attempts.flat().length === 1 && attrs === 'any';
  return {
    config: () => ({ ...config, ...chosen }),
    async choose() {
      if (isFixed) return;
      choosing ??= find().finally(() => {
        choosing = undefined;
      });
      await choosing;
    },
    onChange: (listener) => listeners.push(listener),
  };
}

const fits: Record<DatabaseUrl['attrs'], (session: { standby: boolean; readonly: boolean }) => boolean> = {
  any: () => true,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'read-write': ({ readonly }) => !readonly,
  'read-only': ({ readonly }) => readonly,
  'prefer-standby': () => true,
};

const isSocket = ({ host }: Server) => host.startsWith('/');

function noneUsable(faults: Map<string, Error>): Error {
  const reasons = [...faults].map(([server, { message }]) => `${server}: ${message}`);
  return Object.assign(new Error(`no server is usable: ${reasons.join('; ')}`), { code: 'ECONNREFUSED' });
}

async function firstUsable(
  config: pg.ClientConfig,
  attempts: Attempt[],
  wanted: DatabaseUrl['attrs'],
): Promise<Attempt | Failed> {
  const failed: Failed[] = [];
  for (const attempt of attempts) {
    const fault = await probe({ ...config, ...attempt }, wanted);
    if (!fault) return attempt;
    failed.push({ attempt, fault });
  }
  // Prefers other faults, because missing support for TLS explains least.
  return failed.find(({ fault }) => !/does not support SSL/.test(fault.message)) ?? (failed[0] as Failed);
}

async function probe(config: pg.ClientConfig, wanted: DatabaseUrl['attrs']): Promise<Error | undefined> {
  const client = new pg.Client({
    application_name: 'stakegraph probe',
    ...config,
    query_timeout: config.connectionTimeoutMillis,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `/* probeServer */ select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly`,
    );
    return fits[wanted](rows[0]) ? undefined : new Error(`is not ${wanted}`);
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
