import type { IndexProgress } from '../indexer/follow.ts';

const units: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

export function shortTime(seconds: number): string {
  const [size, name] = units.find(([size]) => seconds >= (size === 60 ? 300 : 2 * size)) ?? [1, 's'];
  return `${Math.ceil(seconds / size).toLocaleString('en')} ${name}`;
}

export function indexProgress(stream: NodeJS.WriteStream = process.stderr) {
  let shown = '';
  let began: { at: number; epoch: number } | undefined;
  const clear = () => {
    if (shown) stream.write('\r\x1b[K');
    shown = '';
  };
  return {
    show({ epoch, last }: IndexProgress) {
      if (!stream.isTTY) return;
      began ??= { at: performance.now(), epoch };
      const seconds = (performance.now() - began.at) / 1000;
      const rate = seconds > 0 ? (epoch - began.epoch) / seconds : 0;
      const left = Math.max(0, last - epoch);
      clear();
      shown = [
        `epoch ${epoch.toLocaleString('en')}`,
        ...(rate > 0 ? [`${rate.toFixed(rate < 10 ? 1 : 0)} epochs/s`] : []),
        left === 0 ? 'up to date' : `${left.toLocaleString('en')} epochs behind`,
        ...(left > 0 && rate > 0 ? [`${shortTime(left / rate)} left`] : []),
      ].join(' · ');
      stream.write(shown.slice(0, (stream.columns ?? 80) - 1));
    },
    say(message: string) {
      clear();
      stream.write(`${message}\n`);
    },
    stop: clear,
  };
}
