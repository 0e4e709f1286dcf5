import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';

const CONNECT_MS = 2_000;
const HANDSHAKE_MS = 5_000;
const RETRY_MS = 500;
/**
 * Pings detect outages. Timeouts of commands would report false outages, because a busy process reads responses late.
 */
const BEAT_MS = 100;
const MAX_MISSED_BEATS = 5;
const KEY_TTL_SECONDS = 40 * 86_400;

const ADD = `redis.call('incrby', KEYS[1], ARGV[1])
redis.call('expire', KEYS[1], ARGV[2])`;
const RAISE = `if tonumber(redis.call('get', KEYS[1]) or '-1') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
end`;

export type Redis = {
  client: object;
  up(): boolean;
  counter(name: string): Promise<number | undefined>;
  add(name: string, by: number): void;
  raise(name: string, to: number): void;
  stop(): void;
};

/** Never throws. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: HANDSHAKE_MS,
      reconnectStrategy: () => RETRY_MS,
    },
  });
  let reported: boolean | undefined;
  const report = (up: boolean, error?: Error & { code?: string }) => {
    if (up === reported) return;
    reported = up;
    if (up) return log.info('Redis is up: replicas share rates and allowances');
    const err = { message: error?.message, code: error?.code }; // another field may be a whole certificate
    log.warn({ err }, 'Redis is down: each replica counts rates and allowances alone');
  };
  client.on('ready', () => report(true));
  client.on('error', (error: Error) => report(false, error));
  const connect = () => client.connect().catch(() => undefined); // events report failures, and the client retries
  const connecting = connect();

  let missed = 0;
  const beat = setInterval(() => {
    if (!client.isReady) {
      missed = 0;
    } else if (missed === MAX_MISSED_BEATS) {
      report(false, new Error(`no answer within ${BEAT_MS * MAX_MISSED_BEATS} ms`));
      missed = 0;
      client.destroy(); // rejects pending commands, so that their callers continue without Redis
      void connect();
    } else if (missed++ === 0) {
      client.ping().then(
        () => (missed = 0),
        () => undefined,
      );
    }
  }, BEAT_MS).unref();
  await Promise.race([connecting, setTimeout(CONNECT_MS, undefined, { ref: false })]);

  const key = (name: string) => `stakegraph:${name}`;
  const evaluate = (script: string, name: string, value: number) => {
    if (!client.isReady) return;
    const options = { keys: [key(name)], arguments: [String(value), String(KEY_TTL_SECONDS)] };
    client.eval(script, options).catch(() => undefined); // the database counts usage too
  };
  return {
    client,
    up: () => client.isReady,
    async counter(name) {
      if (!client.isReady) return undefined;
      const value = await client.get(key(name)).catch(() => null);
      return value === null ? undefined : Number(value);
    },
    add: (name, by) => evaluate(ADD, name, by),
    raise: (name, to) => evaluate(RAISE, name, to),
    stop() {
      clearInterval(beat);
      if (client.isOpen) client.destroy();
    },
  };
}
