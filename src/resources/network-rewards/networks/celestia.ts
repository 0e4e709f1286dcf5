import * as Leaf from '../../../kernel/leaves.ts';
import { cosmosChain } from './cosmos.ts';

export const celestia = cosmosChain(
  {
    title: 'Celestia',
    prefix: 'celestia',
    token: 'TIA',
    exampleId: 'celestiavaloper1rl93jughgj2dvjfun4wrgc97xyspu607edt72g',
  },
  { consensusAddress: Leaf.text(128).min(1).describe('Address that the validator signs blocks with.') },
);
