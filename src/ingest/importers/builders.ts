import { Network } from '../../chain/networks.ts';
import { Builder } from '../../resources/builders/record.ts';
import type { Faults } from '../importer/importer.ts';
import { plainImporter } from '../merge/plain-table.ts';

const Shape = Builder.extend({ network: Network });

function* faultsOf(row: typeof Shape._output): Faults {
  const pairs = [
    ['bidCount', 'fullCount', 'withheldCount', 'paidCount'],
    ['sumBidValue', 'sumFullValue', 'sumWithheldValue', 'sumPaidValue'],
  ] as const;
  for (const [bids, full, withheld, paid] of pairs) {
    const parts = BigInt(row[full]) + BigInt(row[withheld]);
    if (parts !== BigInt(row[bids]))
      yield [bids, `is ${row[bids]}; ${full} and ${withheld} together are ${parts}`];
    if (BigInt(row[paid]) > BigInt(row[bids]))
      yield [paid, `is ${row[paid]}, more than ${bids} ${row[bids]}`];
  }
  if (row.withdrawableEpoch !== null && row.withdrawableEpoch < row.depositEpoch)
    yield ['withdrawableEpoch', `is ${row.withdrawableEpoch}, before depositEpoch ${row.depositEpoch}`];
}

export const builderImporter = plainImporter({
  resource: 'builders',
  shape: Shape,
  key: ['network', 'pubkey'],
  faults: faultsOf,
});
