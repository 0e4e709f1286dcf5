import type { Progress } from '../db/transfer/load.ts';

const EVERY_MS = { terminal: 200, file: 10_000 };

const amount = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 0 })} MB`;

/** A line that is written anew on a terminal, and a line every 10 seconds elsewhere. */
export function transferProgress(stream: NodeJS.WriteStream = process.stderr) {
  let now: Progress | undefined;
  const write = () => {
    if (!now) return;
    const { table, bytes, rows, done, of, checking } = now;
    const doing =
      table === undefined ? 'vacuum' : `${table}: ${amount(bytes)}${checking ? ', checking' : ''}`;
    const text = `${done} of ${of} tables, ${rows.toLocaleString('en')} rows; ${doing}`;
    stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    show(progress: Progress) {
      now = progress;
      timer ??= setInterval(write, EVERY_MS[stream.isTTY ? 'terminal' : 'file']).unref();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

export const seconds = (began: number): number => Math.round((performance.now() - began) / 100) / 10;

export function sayLeftOut(leftOut: string[]): void {
  if (leftOut.length === 0) return;
  process.stderr.write(`Left out, because stakegraph did not make them: ${leftOut.join(', ')}.\n`);
}
