import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** Why Redis cannot be tested here; undefined when it can. */
export const noRedis =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'there is no redis-server (apt-get install redis-server)';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

export type RedisServer = {
  url: string;
  /** Starts it, with nothing in it. */
  start(): Promise<void>;
  /** Ends it at once. */
  stop(): Promise<void>;
  /** Lets it hang: connections stay and nothing is answered. */
  hang(): void;
  /** Lets it go on. */
  resume(): void;
};

/** A Redis in memory for one test; not started yet. */
export async function redisForTest(): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (!child) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  onTestFinished(stop);
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const server = spawn('redis-server', [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
      ]);
      child = server;
      let said = '';
      server.stdout.setEncoding('utf8');
      while (!said.includes('Ready to accept connections')) said += (await once(server.stdout, 'data'))[0];
      server.stdout.resume();
    },
    stop,
    hang: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
