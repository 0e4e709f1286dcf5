import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';

const CONNECT_MS = 2_000;
const RETRY_MS = 500;
/** A Redis that takes longer is away: requests must not wait for it. */
const ANSWER_MS = 300;
const SILENT_MS = 1_000;
const KEPT_SECONDS = 40 * 86_400;

/** `value` or more, never less: counting goes on from what the database knows. */
const RAISE = `if tonumber(redis.call('get', KEYS[1]) or '-1') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
end`;
const ADD = `redis.call('incrby', KEYS[1], ARGV[1])
redis.call('expire', KEYS[1], ARGV[2])`;

export type Redis = {
  client: object;
  /** A command that takes longer than so many milliseconds is given up. */
  answerMs: number;
  /** Whether it answers; while it does not, every replica counts for itself. */
  up(): boolean;
  /** The counter of this name, undefined when there is none or Redis does not answer. */
  counter(name: string): Promise<number | undefined>;
  add(name: string, by: number): void;
  raise(name: string, to: number): void;
  stop(): void;
};

/** The Redis of `REDIS_URL`. It may be away at the start and at any time later: that is logged once, not thrown. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: SILENT_MS / 3,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: () => RETRY_MS,
    },
  });
  let told: boolean | undefined;
  client.on('ready', () => {
    if (told !== true) log.info('Redis answers: rates and allowances are common to all replicas');
    told = true;
  });
  client.on('error', (error: Error) => {
    if (told !== false && client.isOpen) {
      log.warn({ err: error }, 'Redis does not answer: each replica counts rates and allowances for itself');
    }
    told = false;
  });
  const connecting = client.connect().catch(() => undefined);
  await Promise.race([connecting, setTimeout(CONNECT_MS, undefined, { ref: false })]);

  const key = (name: string) => `stakegraph:${name}`;
  const evaluate = (script: string, name: string, ...values: number[]) => {
    if (!client.isReady) return;
    const options = { keys: [key(name)], arguments: values.map(String) };
    client.eval(script, options).catch(() => undefined); // told above; the database has the number too
  };
  return {
    client,
    answerMs: ANSWER_MS,
    up: () => client.isReady,
    async counter(name) {
      if (!client.isReady) return undefined;
      const late = setTimeout(ANSWER_MS, undefined, { ref: false });
      const value = await Promise.race([client.get(key(name)), late]).catch(() => undefined);
      return value == null ? undefined : Number(value);
    },
    add: (name, by) => evaluate(ADD, name, by, KEPT_SECONDS),
    raise: (name, to) => evaluate(RAISE, name, to, KEPT_SECONDS),
    stop: () => client.destroy(),
  };
}
