import type pg from 'pg';

/** To avoid deadlocks, lock indexed networks before datasets. */
export const lockWriters = (
  client: pg.ClientBase,
  datasets: readonly string[],
  indexedNetworks: readonly string[] = [],
) =>
  client.query(
    '/* lockWriters */ select pg_advisory_xact_lock(hashtext(name)) from unnest($1::text[]) as name',
    [
      [
        ...indexedNetworks.toSorted().map((network) => `stakegraph index ${network}`),
        ...datasets.toSorted().map((dataset) => `stakegraph dataset ${dataset}`),
      ],
    ],
  );
