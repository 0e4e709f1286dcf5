import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import type { SharedNumber } from '../db/replicas/shown-elsewhere.ts';

const CONNECT_MS = 2_000;
const HANDSHAKE_MS = 5_000;
const RETRY_MS = 500;
/**
 * Pings detect outages. Timeouts of commands would report false outages, because a busy process reads responses late.
 */
const BEAT_MS = 100;
const MAX_MISSED_BEATS = 5;

const ADD = `redis.call('incrby', KEYS[1], ARGV[1])
redis.call('expire', KEYS[1], ARGV[2])`;
const RAISE = `if tonumber(redis.call('get', KEYS[1]) or '-1') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
end`;

export type Redis = {
  client: object;
  up(): boolean;
  counter(name: string): Promise<number | undefined>;
  add(name: string, by: number, seconds: number): Promise<void>;
  /** Leaves a higher value, and its time to live, as they are. */
  raise(name: string, to: number, seconds: number): Promise<void>;
  /** How many changes of the data gateways have shown. */
  shown: SharedNumber;
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
    if (up) return log.info('Redis is up: gateways share rates and allowances');
    const err = { message: error?.message, code: error?.code }; // another field may be a whole certificate
    log.warn({ err }, 'Redis is down: each gateway counts rates and allowances alone');
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
  const evaluate = async (script: string, name: string, value: number, seconds: number) => {
    if (!client.isReady) return;
    const options = { keys: [key(name)], arguments: [String(value), String(seconds)] };
    await client.eval(script, options).catch(() => undefined);
  };
  const counter = async (name: string) => {
    if (!client.isReady) return undefined;
    const value = await client.get(key(name)).catch(() => null);
    return value === null ? undefined : Number(value);
  };
  const raise = (name: string, to: number, seconds: number) => evaluate(RAISE, name, to, seconds);
  return {
    client,
    up: () => client.isReady,
    counter,
    add: (name, by, seconds) => evaluate(ADD, name, by, seconds),
    raise,
    shown: { read: () => counter('shown'), raise: (to, seconds) => raise('shown', to, seconds) },
    stop() {
      clearInterval(beat);
      if (client.isOpen) client.destroy();
    },
  };
}
