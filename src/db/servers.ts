import pg from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, type Server } from './url.ts';

/** The server of a URL that connections are made to. */
export type Target = {
  /** How to connect to the server that was chosen last; the first of the URL before that. */
  config(): pg.ClientConfig;
  /**
   * Looks for the first server that lets in and is what the URL asks for. Nothing is asked where the URL leaves no choice.
   * Throws what each of them said.
   */
  choose(): Promise<void>;
};

/** A server is asked whether it will do in this time. */
const PROBE_MS = 2_000;

type Candidate = Server & { ssl: pg.ClientConfig['ssl'] };

const targets = new Map<string, Target>();

/** The target of a URL, common to all who connect by it: what one of them finds, the others use. */
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

  async function find() {
    const faults: string[] = [];
    const passes = attrs === 'prefer-standby' ? (['standby', 'any'] as const) : [attrs];
    for (const wanted of passes) {
      for (const candidate of candidates) {
        const fault = await probe({ ...config, ...candidate }, wanted);
        if (fault === undefined) {
          chosen = candidate;
          return;
        }
        faults.push(`${candidate.host}:${candidate.port} ${fault}`);
      }
    }
    // The code by which others tell that a database is away.
    throw Object.assign(new Error(`no server will do: ${faults.join('; ')}`), { code: 'ECONNREFUSED' });
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
  };
}

/** What a session of each kind answers to `probeServer`. */
const fits: Record<DatabaseUrl['attrs'], (session: { standby: boolean; readonly: boolean }) => boolean> = {
  any: () => true,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'read-write': ({ readonly }) => !readonly,
  'read-only': ({ readonly }) => readonly,
  'prefer-standby': () => true,
};

/** Why a server will not do; undefined when it will. */
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
