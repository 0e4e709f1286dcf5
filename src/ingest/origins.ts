import type pg from 'pg';

export const origins = ['index', 'import', 'mirror', 'sample'] as const;
export type Origin = (typeof origins)[number];

/** Records where rows of datasets come from; the network is '' where rows have none. */
export async function noteOrigins(
  client: pg.ClientBase,
  datasets: readonly (readonly [dataset: string, network: string])[],
  origin: Origin,
): Promise<void> {
  if (datasets.length === 0) return;
  await client.query(
    `/* noteOrigins */
    insert into dataset_origins (dataset, network, origin, written_at)
    select distinct d, n, $3, now() from unnest($1::text[], $2::text[]) as g (d, n) order by d, n
    on conflict (dataset, network, origin) do nothing`,
    [datasets.map(([dataset]) => dataset), datasets.map(([, network]) => network), origin],
  );
}
