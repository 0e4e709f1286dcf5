import { READ_ONLY } from '../db/connection.ts';
import type { Pool } from '../db/pool.ts';
import type { ServerFault } from '../db/replicas/replica.ts';

/** SQLSTATE of errors after which other writes may still work: a row may fit where another does not. */
const reasons: Record<string, string> = {
  '53100': 'the disk of the database is full',
  '58030': 'the database cannot write to its disk',
  [READ_ONLY]: 'the database of DATABASE_URL is read-only',
};

const PROBE_MS = 30_000;
const PROBE_AGAIN_MS = 2_000;
/** About a megabyte, since a row or two may fit on a full disk. */
const PROBE_ROWS = 30_000;

/** Pools hide the error of PostgreSQL in the cause. */
function faultOf(error: unknown): ServerFault | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  const reason = reasons[code ?? ''] ?? reasons[cause?.code ?? ''];
  return reason === undefined ? undefined : { reason, err: error };
}

/** Extends a file in the tablespace of the database, and writes next to nothing to the log of writes. */
const probe = (primary: Pool): Promise<ServerFault | undefined> =>
  primary.withClient(async (client) => {
    try {
      await client.query('/* storageProbe */ begin');
      await client.query(`/* storageTablespace */ set local temp_tablespaces to ''`);
      await client.query(
        `/* storageProbe */ create temp table storage_probe as select generate_series(1, ${PROBE_ROWS}) as n`,
      );
      return undefined;
    } catch (error) {
      const fault = faultOf(error);
      // For a role that may not make temporary tables, this check finds nothing.
      if (fault || (error as { code?: string }).code === '42501') return fault;
      throw error;
    } finally {
      await client.query('/* storageProbe */ rollback').catch(() => undefined);
    }
  });

export type StorageWatch = {
  /** Takes any error of the database. */
  note(error: unknown): void;
  /** Probes twice a minute, and every 2 s after a failed write, until a probe works. */
  fault(primary: Pool): Promise<ServerFault | undefined>;
};

export function storageWatch(): StorageWatch {
  let fault: ServerFault | undefined;
  let nextProbe = 0;
  return {
    note(error) {
      const found = faultOf(error);
      if (!found) return;
      fault = found;
      nextProbe = performance.now() + PROBE_AGAIN_MS;
    },
    async fault(primary) {
      if (performance.now() < nextProbe) return fault;
      fault = await probe(primary);
      nextProbe = performance.now() + (fault ? PROBE_AGAIN_MS : PROBE_MS);
      return fault;
    },
  };
}
