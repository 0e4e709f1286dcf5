import { basename } from 'node:path';
import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { ReadProgress } from '../ingest/import-options.ts';

export type ImportProgress = {
  file(name: string): { show(progress: ReadProgress): void; end(): void };
  stop(): void;
};

const size = (bytes: number) =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;

export function importProgress(stream: NodeJS.WriteStream = process.stderr): ImportProgress {
  if (!stream.isTTY)
    return { file: () => ({ show: () => undefined, end: () => undefined }), stop: () => undefined };
  const bars = new MultiBar(
    {
      format: '{file} [{bar}] {percentage} % of {size} · {rows} rows · {rate} rows/s · {left}',
      stream,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  return {
    file(name) {
      const started = performance.now();
      let bar: SingleBar | undefined;
      return {
        show({ phase, rows, read, size: whole }) {
          const seconds = Math.max(0.001, (performance.now() - started) / 1000);
          const total = Math.max(whole ?? read, 1);
          const left = whole
            ? `${Math.ceil((seconds / Math.max(read, 1)) * (whole - read))} s left`
            : 'reading';
          const shown = {
            file: basename(name),
            size: whole ? size(whole) : '?',
            rows: rows.toLocaleString('en'),
            rate: Math.round(rows / seconds).toLocaleString('en'),
            left: phase === 'merging' ? 'merging' : left,
          };
          bar ??= bars.create(total, 0, shown);
          bar.setTotal(total);
          bar.update(Math.min(read, total), shown);
        },
        end() {
          if (bar) bars.remove(bar);
        },
      };
    },
    stop: () => bars.stop(),
  };
}
