// The server of benchmarks: that of BENCH_DATABASE_URL (a superuser's, since benchmarks create databases and checkpoints),
// or an embedded one in its own folder.
import pg from 'pg';
import { startEmbedded } from '../../dist/db/embedded/index.js';

async function command(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** A server: `create` creates a database and returns its URL; `stop` drops all of them and ends an embedded server. */
export async function benchServer(folder) {
  const given = process.env.BENCH_DATABASE_URL;
  const embedded = given ? undefined : await startEmbedded({ dataDir: folder });
  const url = given ?? embedded.url;
  const made = [];
  return {
    async create(name) {
      const database = `stakegraph_bench_${name}`;
      // that of an earlier run that was killed; the server refuses to drop one in use
      await command(url, `drop database if exists ${database}`);
      await command(url, `create database ${database}`);
      made.push(database);
      const address = new URL(url);
      address.pathname = `/${database}`;
      return address.href;
    },
    async stop() {
      for (const database of made) await command(url, `drop database ${database} with (force)`);
      await embedded?.stop();
    },
  };
}
