import pg from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, type Server } from './url.ts';

/** Chooses one server of a URL and tells how to connect to it. */
export type Target = {
  /** The configuration of the server that was chosen last; before the first choice, of the first one in the URL. */
  config(): pg.ClientConfig;
  /**
   * Chooses the first server that accepts a connection and matches the URL. Does nothing when the URL leaves no choice. Throws
   * an error with the fault of each server when none is usable.
   */
  choose(): Promise<void>;
  /** Called when another server is connected to from now on. */
  onChange(listener: () => void): void;
};

/** Time limit for probing a server. */
const PROBE_MS = 2_000;

type Candidate = Server & { ssl: pg.ClientConfig['ssl'] };

const targets = new Map<string, Target>();

/** The target of a URL, shared by all connections to that URL. */
export function targetOf(url: string): Target {
  const known = targets.get(url);
  if (known) return known;
  const target = makeTarget(parseDatabaseUrl(url));
  targets.set(url, target);
  return target;
}

function makeTarget({ servers, tls, attrs, config }: DatabaseUrl): Target {
  const candidates: Candidate[] = servers.flatMap((server) =>
    tls.map((used) => ({ ...server, ssl: used ? (config.ssl ?? true) : false })),
  );
  let chosen = candidates[0] as Candidate;
  let choosing: Promise<void> | undefined;
  const listeners: (() => void)[] = [];

  async function find() {
    const faults: string[] = [];
    const passes = attrs === 'prefer-standby' ? (['standby', 'any'] as const) : [attrs];
    for (const wanted of passes) {
      for (const candidate of candidates) {
        const fault = await probe({ ...config, ...candidate }, wanted);
        if (fault === undefined) {
          if (candidate === chosen) return;
          chosen = candidate;
          for (const listener of listeners) listener();
          return;
        }
        faults.push(`${candidate.host}:${candidate.port} ${fault}`);
      }
    }
    // Callers treat this code as a database that is unavailable.
    throw Object.assign(new Error(`no server is usable: ${faults.join('; ')}`), { code: 'ECONNREFUSED' });
  }

  const isFixed = candidates.length === 1 && attrs === 'any';
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

/** Whether a server matches each value of `target_session_attrs`, by the answer to `probeServer`. */
const fits: Record<DatabaseUrl['attrs'], (session: { standby: boolean; readonly: boolean }) => boolean> = {
  any: () => true,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'read-write': ({ readonly }) => !readonly,
  'read-only': ({ readonly }) => readonly,
  'prefer-standby': () => true,
};

/** Why a server is not usable; undefined when it is. */
async function probe(config: pg.ClientConfig, wanted: DatabaseUrl['attrs']): Promise<string | undefined> {
  const client = new pg.Client({
    application_name: 'stakegraph probe',
    ...config,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `/* probeServer */ select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly`,
    );
    return fits[wanted](rows[0]) ? undefined : `is not ${wanted}`;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}
