import type { Progress } from '../db/transfer/load.ts';

const EVERY_MS = { terminal: 200, file: 10_000 };

const amount = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 0 })} MB`;

/** A line that is written anew on a terminal, and a line every 10 seconds elsewhere. */
export function transferProgress(stream: NodeJS.WriteStream = process.stderr) {
  let last = performance.now();
  return {
    show({ table, bytes, rows, done, of }: Progress) {
      if (performance.now() - last < EVERY_MS[stream.isTTY ? 'terminal' : 'file']) return;
      last = performance.now();
      const text = `${done} of ${of} tables, ${rows.toLocaleString('en')} rows; ${table}: ${amount(bytes)}`;
      stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

export const seconds = (began: number): number => Math.round((performance.now() - began) / 100) / 10;

export function sayLeftOut(leftOut: string[]): void {
  if (leftOut.length === 0) return;
  process.stderr.write(`Left out, because stakegraph did not make them: ${leftOut.join(', ')}.\n`);
}
