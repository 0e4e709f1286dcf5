import { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { count, text } from '../kernel/leaves.ts';
import { columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const ImportedClient = z.object({ network: Network, validatorIndex: count(), client: text(64).min(1) });
type ImportedClient = z.infer<typeof ImportedClient>;

const key = ['network', 'validator_index'];
const table: PlainTable = {
  name: 'validator_clients',
  key,
  columns: columnsOf(ImportedClient),
  scope: ['network'],
};

// No `replacesWhen`: estimates cover only some validators.
export const validatorClientImporter: Importer<ImportedClient> = {
  resource: 'validator-clients',
  shape: ImportedClient,
  check: (raw, { network }) =>
    ImportedClient.safeParse(decode(ImportedClient, isObject(raw) ? { network, ...raw } : raw)),
  columns: table.columns,
  stored: snakeCased,
  key,
  merge: (client, options) => mergePlain(client, table, options),
};
