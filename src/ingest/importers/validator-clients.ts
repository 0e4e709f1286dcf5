import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { plainImporter } from '../merge/plain-table.ts';

export const validatorClientImporter = plainImporter({
  resource: 'validator-clients',
  shape: z.object({ network: Network, validatorIndex: Leaf.count(), client: Leaf.text(64).min(1) }),
  key: ['network', 'validator_index'],
});
