import type { Tally } from '../ingest/mirror/report.ts';

export function mirrorProgress(stream: NodeJS.WriteStream = process.stderr) {
  let shown = '';
  const clear = () => {
    if (shown) stream.write('\r\x1b[K');
    shown = '';
  };
  return {
    list(title: string, tallies: readonly Tally[]) {
      if (!stream.isTTY) return;
      const requests = tallies.reduce((sum, tally) => sum + tally.requests, 0);
      const rows = tallies.reduce((sum, tally) => sum + tally.rows, 0);
      clear();
      shown = `${title} · ${rows.toLocaleString('en')} rows · ${requests.toLocaleString('en')} requests`;
      stream.write(shown.slice(0, (stream.columns ?? 80) - 1));
    },
    say(message: string) {
      clear();
      stream.write(`${message}\n`);
    },
    stop: clear,
  };
}
