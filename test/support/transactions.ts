import type pg from 'pg';
import type { Pool } from '../../src/db/pool.ts';

/** What the session has done and not yet reported, of all tables and indexes, triggers and cascades included. */
const DONE = `select coalesce(sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_inserted(oid)
    + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid) + pg_stat_get_xact_blocks_fetched(oid)), 0)::int as done
  from pg_class where relkind in ('r', 'i') and relnamespace = current_schema()::regnamespace`;

/** A pool that reports the rows and blocks that each transaction read and wrote, before it ends. */
export function measured(pool: Pool, note: (work: number) => void): Pool {
  const measuring = (client: pg.PoolClient): pg.PoolClient => {
    let before = 0;
    const done = async (): Promise<number> => (await client.query(DONE)).rows[0].done;
    const query = async (...given: [string]) => {
      if (given[0] === 'commit' || given[0] === 'rollback')
        await done().then(
          (after) => note(after - before),
          () => undefined, // the transaction has failed
        );
      const result = await client.query(...given);
      if (given[0] === 'begin') before = await done();
      return result;
    };
    return new Proxy(client, {
      get(of, name) {
        if (name === 'query') return query;
        const value = Reflect.get(of, name);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
  };
  return {
    ...pool,
    withClient: (work, account) => pool.withClient((client) => work(measuring(client)), account),
  };
}
