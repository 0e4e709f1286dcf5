// Where a benchmark keeps its data: on the server of BENCH_DATABASE_URL, or on an embedded one in its own folder.
import pg from 'pg';
import { startEmbedded } from '../../dist/db/embedded/index.js';

/** The server: its URL, and what ends it; one of BENCH_DATABASE_URL stays. */
export async function benchServer(folder) {
  const url = process.env.BENCH_DATABASE_URL;
  if (url) return { url, stop: async () => undefined };
  const embedded = await startEmbedded({ dataDir: folder });
  return { url: embedded.url, stop: () => embedded.stop() };
}

async function command(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** A new database there, `stakegraph_bench_<name>`; `drop` removes it and ends what was started. */
export async function benchDatabase(name, folder) {
  const server = await benchServer(folder);
  const database = `stakegraph_bench_${name}`;
  await command(server.url, `create database ${database}`).catch(async (error) => {
    await server.stop();
    throw error;
  });
  const address = new URL(server.url);
  address.pathname = `/${database}`;
  const drop = async () => {
    await command(server.url, `drop database ${database} with (force)`).finally(() => server.stop());
  };
  return { url: address.href, drop };
}
