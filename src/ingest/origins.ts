import type pg from 'pg';
import { networks } from '../chain/networks.ts';
import type { Importer } from './importer.ts';

const origins = ['index', 'import', 'mirror', 'sample'] as const;
export type Origin = (typeof origins)[number];

/** `network` is '' for rows without a network. */
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

const hasNetworks = ({ columns }: Importer<unknown>) => columns.some(({ name }) => name === 'network');

export async function stagedDatasets(
  client: pg.ClientBase,
  importer: Importer<unknown>,
): Promise<[dataset: string, network: string][]> {
  const { resource } = importer;
  const network = hasNetworks(importer) ? 'network' : `''`;
  const { rows } = await client.query(
    `/* stagedNetworks */ select distinct ${network} as network from staged`,
  );
  return rows.map((row) => [resource, row.network]);
}

export const ofAllNetworks = (dataset: string) => networks.map((network) => [dataset, network] as const);
