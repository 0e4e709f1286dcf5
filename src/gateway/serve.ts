import { lookup } from 'node:dns/promises';
import closeWithGrace from 'close-with-grace';
import { type Settings, SettingsError } from '../config/index.ts';
import { makeLog } from '../diagnostics/log.ts';
import { listenError } from './listen-error.ts';
import { onSignal, SIGNALS } from './signals.ts';
import { start } from './start.ts';
import { Steps } from './steps.ts';

export async function serve(settings: Settings): Promise<void> {
  await checkHost(settings);
  const log = makeLog(settings);
  const draining = new AbortController();
  const steps = new Steps(() => draining.signal.aborted);
  const starting = start(settings, log, steps, draining.signal);
  // Installed early, because a signal during startup must not leave PostgreSQL running.
  const signals = onSignal((signal) => {
    log.info({ signal }, 'draining');
    void grace.close();
  });
  const grace = closeWithGrace(
    { delay: 30_000 + settings.DRAIN_DELAY_MS, logger: false, skip: [...SIGNALS] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error');
      draining.abort();
      const listening = await starting.catch(() => false);
      if (listening) await new Promise((done) => setTimeout(done, settings.DRAIN_DELAY_MS));
      await steps.undo();
      log.info('stopped');
    },
  );
  try {
    await starting;
  } catch (error) {
    await steps.undo().catch(() => undefined);
    grace.uninstall();
    signals.remove();
    throw listenError(error as NodeJS.ErrnoException, settings);
  }
}

async function checkHost({ HOST }: Settings): Promise<void> {
  await lookup(HOST).catch(() => {
    throw new SettingsError(`HOST is ${JSON.stringify(HOST)}; an address of this machine is needed.`);
  });
}
