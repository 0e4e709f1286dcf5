import { z } from 'zod';
import { epochStart } from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { ChainBalance } from '../resources/consolidation-totals/record.ts';
import { futureFault } from './given-time.ts';
import { columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const ImportedChainBalance = ChainBalance.extend({ network: Network });
export type ImportedChainBalance = z.infer<typeof ImportedChainBalance>;

const Checked = ImportedChainBalance.pipe(z.custom<ImportedChainBalance>()).superRefine((row, context) => {
  const message = futureFault(row.epoch, epochStart(row.network, row.epoch), 'an epoch');
  if (message) context.addIssue({ code: 'custom', path: ['epoch'], message });
});

const table: PlainTable = {
  name: 'chain_balances',
  key: ['network', 'epoch'],
  columns: columnsOf(ImportedChainBalance),
  scope: ['network'],
};

// No `replacesWhen`: a file may hold any range of epochs.
export const chainBalanceImporter: Importer<ImportedChainBalance> = {
  resource: 'chain-balances',
  shape: ImportedChainBalance,
  check: (raw, { network }) =>
    Checked.safeParse(isObject(raw) ? decode(ImportedChainBalance, { network, ...raw }) : raw),
  columns: table.columns,
  stored: snakeCased,
  key: table.key,
  merge: (client, options) => mergePlain(client, table, options),
};
