import type { z } from 'zod';
import { epochStart } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { Slashing } from '../../resources/slashings/record.ts';
import { futureFaults } from '../importer/given-time.ts';
import type { ColumnName, Importer } from '../importer/importer.ts';
import { plainImporter } from '../merge/plain-table.ts';

const Shape = Slashing.extend({ network: Network });
export type ImportedSlashing = z.infer<typeof Shape>;

export const slashingImporter: Importer<ImportedSlashing, ColumnName<ImportedSlashing>> = plainImporter({
  resource: 'slashings',
  shape: Shape,
  key: ['network', 'validator_index'],
  unique: { columns: ['network', 'validator_pubkey'], field: 'validatorPubkey' },
  *faults(row) {
    const expected = BigInt(row.balanceBeforeSlashing) - BigInt(row.balanceBeforeWithdrawal);
    if (BigInt(row.slashingPenalties) !== expected) {
      const message = `is ${row.slashingPenalties}; balanceBeforeSlashing − balanceBeforeWithdrawal is ${expected}`;
      yield ['slashingPenalties', message];
    }
    const start = epochStart(row.network, row.slashingEpoch);
    yield* futureFaults('slashingEpoch', row.slashingEpoch, start, 'an epoch');
    if (row.withdrawableEpoch < row.slashingEpoch)
      yield ['withdrawableEpoch', `is ${row.withdrawableEpoch}, before slashingEpoch ${row.slashingEpoch}`];
  },
});
