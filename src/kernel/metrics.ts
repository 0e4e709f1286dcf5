import { Counter, Gauge, type Registry } from 'prom-client';

export type Sample = { labels: Record<string, string>; value: number | null | undefined };

/** A number, or samples with labels. Samples without a value are left out. */
type Reading = number | null | undefined | readonly Sample[];

export type Meters = Record<
  'gauge' | 'counter',
  (name: string, help: string, read: () => Reading | Promise<Reading>, labelNames?: string[]) => void
>;

/** Metrics whose values are read only when they are scraped. */
export function metersIn(registry: Registry, prefix: string): Meters {
  const samplesOf = async (read: () => Reading | Promise<Reading>): Promise<readonly Sample[]> => {
    const reading = await read();
    return Array.isArray(reading) ? reading : [{ labels: {}, value: reading as number | null | undefined }];
  };
  const options = (name: string, help: string, labelNames: string[]) => ({
    name: `${prefix}_${name}`,
    ...{ help, labelNames, registers: [registry] },
  });
  return {
    gauge(name, help, read, labelNames = []) {
      new Gauge({
        ...options(name, help, labelNames),
        async collect() {
          const samples = await samplesOf(read);
          if (labelNames.length > 0) this.reset();
          else this.remove();
          for (const { labels, value } of samples) if (value != null) this.set(labels, value);
        },
      });
    },
    counter(name, help, read, labelNames = []) {
      new Counter({
        ...options(`${name}_total`, help, labelNames),
        async collect() {
          const samples = await samplesOf(read);
          this.reset();
          for (const { labels, value } of samples) if (value != null) this.inc(labels, value);
        },
      });
    },
  };
}

/** One sample for each entry, labelled `label`. */
export const labelled = (label: string, values: Iterable<readonly [string, number]>): Sample[] =>
  Array.from(values, ([name, value]) => ({ labels: { [label]: name }, value }));
