import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { count, text } from '../../kernel/leaves.ts';
import { plainImporter } from '../merge/plain-table.ts';

export const validatorClientImporter = plainImporter({
  resource: 'validator-clients',
  shape: z.object({ network: Network, validatorIndex: count(), client: text(64).min(1) }),
  key: ['network', 'validator_index'],
});
