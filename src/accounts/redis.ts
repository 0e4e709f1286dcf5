import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';

const CONNECT_MS = 2_000;
const HANDSHAKE_MS = 5_000;
const RETRY_MS = 500;
/**
 * Redis is down after this many missed heartbeats. A timeout per command would not do: while this process is busy,
 * responses wait unread, and every replica would start to count alone just then.
 */
const BEAT_MS = 100;
const MAX_MISSED_BEATS = 5;
const KEY_TTL_SECONDS = 40 * 86_400;

const ADD = `redis.call('incrby', KEYS[1], ARGV[1])
redis.call('expire', KEYS[1], ARGV[2])`;
/** Never lowers a counter, so that it continues from the database's value. */
const RAISE = `if tonumber(redis.call('get', KEYS[1]) or '-1') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
end`;

export type Redis = {
  client: object;
  /** While this is false, every replica counts alone. */
  up(): boolean;
  /** Undefined when there is no such counter or Redis does not answer. */
  counter(name: string): Promise<number | undefined>;
  add(name: string, by: number): void;
  raise(name: string, to: number): void;
  stop(): void;
};

/** Connects to `REDIS_URL`. An outage at any time is logged once and not thrown. */
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
  let told: boolean | undefined;
  const tell = (up: boolean, error?: Error) => {
    if (up === told) return;
    told = up;
    if (up) log.info('Redis answers: rates and allowances are common to all replicas');
    else
      log.warn({ err: error }, 'Redis does not answer: each replica counts rates and allowances for itself');
  };
  client.on('ready', () => tell(true));
  client.on('error', (error: Error) => tell(false, error));
  const connect = () => client.connect().catch(() => undefined); // events report failures, and the heartbeat retries
  const connecting = connect();

  let missed = 0;
  const beat = setInterval(() => {
    if (!client.isReady) {
      missed = 0;
    } else if (missed === MAX_MISSED_BEATS) {
      tell(false, new Error(`no answer within ${BEAT_MS * MAX_MISSED_BEATS} ms`));
      missed = 0; // of the next connection, which may exist before the next heartbeat
      client.destroy(); // rejects pending commands, whose callers continue without Redis
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
    client.eval(script, options).catch(() => undefined); // the database gets the number too
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
