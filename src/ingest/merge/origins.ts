import type pg from 'pg';
import { networks } from '../../chain/networks.ts';
import type { Importer } from '../importer/importer.ts';

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

/** Like DISTINCT, but most stagings have an index that begins with the network, of which this reads an entry a network. */
const NETWORKS = `with recursive found as (
    (select network from staged order by network limit 1)
    union all
    select (select s.network from staged s where s.network > found.network order by s.network limit 1)
    from found where found.network is not null
  )
  select network from found where network is not null`;

export async function stagedDatasets(
  client: pg.ClientBase,
  importer: Importer<unknown>,
): Promise<[dataset: string, network: string][]> {
  const { rows } = await client.query<{ network: string }>(
    `/* stagedNetworks */ ${hasNetworks(importer) ? NETWORKS : `select '' as network where exists (select from staged)`}`,
  );
  return rows.map((row) => [importer.resource, row.network]);
}

export const ofAllNetworks = (dataset: string) => networks.map((network) => [dataset, network] as const);
