import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { openDatabase } from '../../src/db/open/index.ts';
import { traced } from '../../src/kernel/tracing.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, gatewayForTest } from '../support/gateway.ts';
import { freePort } from '../support/redis.ts';
import { createReplica } from '../support/replica.ts';
import { slow } from '../support/thorough.ts';

let collector: Collector;
let stop: () => Promise<void>;
beforeAll(async () => {
  collector = await startCollector();
  stop = await collector.trace();
});
afterAll(async () => {
  await stop();
  collector.close();
});

/** The names of all spans, once those that ended before this call are there. */
async function sentSpans(marker: string): Promise<string[]> {
  await traced(marker, {}, async () => undefined);
  await eventually(() => expect(collector.roots(marker)).toHaveLength(1));
  return collector.spans.map(({ name }) => name);
}

it('scrapes of METRICS_PORT send no spans', async () => {
  const METRICS_PORT = await freePort();
  await gatewayForTest({ settings: { METRICS_PORT } });
  const response = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  expect(await response.text()).toContain('stakegraph_dataset_newest_epoch{');
  expect(await sentSpans('after the scrape')).toEqual(['after the scrape']);
});

slow('probes of a replica send no spans, also if they began in a request', async () => {
  const [primary, replica] = [await createDatabase('empty'), await createReplica()];
  onTestFinished(async () => {
    await primary.drop();
    await replica.drop();
  });
  const settings = readSettings({ DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url });
  const database = await openDatabase(settings, () => undefined, { serves: true });
  onTestFinished(database.close);
  const asked = { text: '/* asked */ select 1', values: [] };
  await traced('request', {}, async () => {
    await database.read.query(asked);
    const probed = async () => {
      const { rows } = await primary.pool.query({
        text: `select query_start::text as at from pg_stat_activity
          where datname = $1 and query ~ 'migrations|routines' and pid <> pg_backend_pid()`,
        values: [new URL(replica.url).pathname.slice(1)],
      });
      return rows[0]?.at;
    };
    const first = await eventually(async () => {
      const at = await probed();
      expect(at).toBeDefined();
      return at;
    });
    await eventually(async () => expect(await probed()).not.toBe(first));
  });
  const names = await sentSpans('after the probes');
  expect(names).toEqual(expect.arrayContaining(['request', 'asked']));
  expect(names.filter((name) => /replicaRevisions|igrations|outines/.test(name))).toEqual([]);
  expect(collector.spans.filter(({ parentSpanId, kind }) => !parentSpanId && kind === 3)).toEqual([]);
});
