import { ACQUIRE_DEADLINE_MS, Connection, KEEP_ALIVE_MS } from '../connection.ts';
import { targetOf } from '../servers.ts';

/**
 * Keeps a connection that LISTENs on a channel and calls back for each notification, and once for each time the
 * connection is made, since what was said while it was away is lost. Reconnects by itself; `onLost` tells that it must.
 */
export function listen(
  url: string,
  channel: string,
  onChange: () => void,
  onLost: () => void = () => undefined,
): { stop(): Promise<void> } {
  const target = targetOf(url);
  let client: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const retry = () => {
    client = undefined;
    if (!stopped) timer = setTimeout(connect, 1_000).unref();
  };

  async function connect() {
    await target.choose().catch(() => undefined); // connecting reports the reason
    if (stopped) return;
    const current = new Connection({
      target,
      application_name: 'stakegraph listen',
      query_timeout: ACQUIRE_DEADLINE_MS, // of LISTEN, the one statement
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client = current;
    current.on('end', () => {
      onLost();
      if (client === current) retry();
    });
    current.on('notification', onChange);
    try {
      await current.connect();
      await current.query(`listen ${current.escapeIdentifier(channel)}`);
      onChange();
    } catch {
      await current.end().catch(() => undefined);
      if (client === current) retry();
    }
  }

  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
