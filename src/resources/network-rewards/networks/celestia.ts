import { z } from 'zod';
import { text } from '../../../kernel/leaves.ts';
import { cosmosNetwork, cosmosValidator, operatorAddress } from './cosmos.ts';
import { bech32Form, type RewardsDefinition } from './definition.ts';

const OPERATOR = operatorAddress('celestiavaloper');
const exampleId = 'celestiavaloper1rl93jughgj2dvjfun4wrgc97xyspu607edt72g';
const form = `an operator address like ${exampleId}`;

const validator = z
  .object({
    ...cosmosValidator(OPERATOR, form, 'TIA'),
    consensusAddress: text(128).min(1).describe('Address that the validator signs blocks with.'),
  })
  .meta({ id: 'CelestiaValidatorReward', description: 'What a Celestia validator earned in a day.' });

const network = z
  .object(cosmosNetwork('TIA'))
  .meta({ id: 'CelestiaNetworkReward', description: 'What all Celestia validators earned in a day.' });

export const celestia: RewardsDefinition = {
  title: 'Celestia',
  idField: 'validator',
  countField: 'totalBondedValidators',
  id: bech32Form(OPERATOR, form),
  exampleId,
  validator,
  network,
};
