import type { Settings } from '../config/index.ts';

export function listenError(
  error: NodeJS.ErrnoException & { port?: number },
  settings: Settings,
  only?: 'METRICS_PORT',
): Error {
  if (error.syscall !== 'listen') return error;
  const { HOST } = settings;
  const isMetrics = error.port !== settings.PORT && error.port === settings.METRICS_PORT;
  const name = only ?? (isMetrics ? 'METRICS_PORT' : 'PORT');
  if (error.code === 'EADDRINUSE')
    return new Error(
      `Port ${settings[name]} on ${HOST} is taken; set ${name} to another, or 0 for a free one.`,
    );
  if (error.code === 'EACCES')
    return new Error(`${name} is ${settings[name]}, which this user may not listen on; set another.`);
  return new Error(`HOST is ${JSON.stringify(HOST)}, on which this machine cannot listen: ${error.message}`);
}
