import { epochStart } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { ChainBalance } from '../../resources/consolidation-totals/record.ts';
import { futureFaults } from '../importer/given-time.ts';
import { plainImporter } from '../merge/plain-table.ts';

export const chainBalanceImporter = plainImporter({
  resource: 'chain-balances',
  shape: ChainBalance.extend({ network: Network }),
  key: ['network', 'epoch'],
  faults: ({ network, epoch }) => futureFaults('epoch', epoch, epochStart(network, epoch), 'an epoch'),
});
