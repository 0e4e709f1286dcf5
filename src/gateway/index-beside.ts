import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Settings, SettingsError } from '../config/index.ts';
import type { Database } from '../db/open/index.ts';
import { createPool } from '../db/pool.ts';
import { isFinal, reasonOf } from '../indexer/faults.ts';
import { fromSetting } from '../indexer/flags.ts';
import { runIndex } from '../indexer/run.ts';
import { type IndexStatus, newStatus } from '../indexer/status.ts';

const AGAIN_MS = 30_000;

export type IndexBeside = { status: IndexStatus; stop(): Promise<void> };

export function indexBeside(settings: Settings, { url }: Database, log: Logger): IndexBeside {
  const urls = settings.BEACON_URL;
  if (!urls) throw new SettingsError('INDEX is on and BEACON_URL is not set; it must name a beacon node.');
  const firstFrom = fromSetting(settings);
  const status = newStatus();
  const stopping = new AbortController();
  const stop = stopping.signal;
  // This pool has no statement timeout, unlike the gateway's own writes.
  const pool = createPool({
    ...{ url, readOnly: false, max: 4, reportsErrors: true },
    waitTimeoutMs: settings.WAIT_TIMEOUT_MS,
    onError: (err) => log.warn({ err }, 'database error of the index'),
  });
  const index = () =>
    runIndex({
      ...{ urls, network: settings.INDEX_NETWORK, rate: settings.INDEX_RATE, once: false, status, stop },
      estimateMissed: settings.INDEX_ESTIMATE_MISSED,
      range: { from: undefined, firstFrom, to: undefined },
      labels: settings.INDEX_LABELS,
      execution: settings.EXECUTION_URL,
      relays: settings.RELAY_URLS ?? [],
      database: { url, pool },
      say: (level, message, detail) => log[level]({ ...detail }, message),
      onStored: ({ epoch, last }) => log.debug({ epoch, last }, 'epoch stored'),
      onPublished(epoch, failures) {
        log.info({ epoch, network: status.network }, 'published up to this epoch');
        for (const failure of failures) log.error({ failure }, 'not published');
      },
    });
  const done = (async () => {
    while (!stop.aborted) {
      try {
        await index();
      } catch (err) {
        status.problem = reasonOf(err);
        if (isFinal(err)) return log.error({ err }, 'the index has stopped, and the gateway serves on');
        log.error({ err }, `the index failed and starts again in ${AGAIN_MS / 1000} s`);
        await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    }
  })();
  return {
    status,
    async stop() {
      stopping.abort();
      await done;
      await pool.end();
    },
  };
}
