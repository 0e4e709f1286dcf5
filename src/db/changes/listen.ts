import { Connection } from '../connection.ts';
import { ACQUIRE_DEADLINE_MS, targetOf } from '../servers.ts';

type Notification = { channel: string; payload?: string | undefined };

/** Also calls `onChange` after each connect, because notifications may have been lost. */
export function listen(
  url: string,
  channels: readonly string[],
  onChange: (notification?: Notification) => void,
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
    await target.choose().catch(() => undefined);
    if (stopped) return;
    const current = new Connection({
      target,
      application_name: 'stakegraph listen',
      query_timeout: ACQUIRE_DEADLINE_MS,
    });
    client = current;
    current.on('end', () => {
      onLost();
      if (client === current) retry();
    });
    current.on('notification', onChange);
    try {
      await current.connect();
      await current.query(channels.map((name) => `listen ${current.escapeIdentifier(name)}`).join(';'));
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
