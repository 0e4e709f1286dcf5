import { z } from 'zod';
import { cosmosNetwork, cosmosValidator, operatorAddress } from './cosmos.ts';
import { bech32Form, type RewardsDefinition } from './definition.ts';

const OPERATOR = operatorAddress('bbnvaloper');
const exampleId = 'bbnvaloper154xu5xp9xza36mgn9n0dvgmm9mv3u0mjafh6gh';
const form = `an operator address like ${exampleId}`;

const validator = z
  .object(cosmosValidator(OPERATOR, form, 'BABY'))
  .meta({ id: 'BabylonValidatorReward', description: 'What a Babylon validator earned in a day.' });

const network = z
  .object(cosmosNetwork('BABY'))
  .meta({ id: 'BabylonNetworkReward', description: 'What all Babylon validators earned in a day.' });

export const babylon: RewardsDefinition = {
  title: 'Babylon',
  idField: 'validator',
  countField: 'totalBondedValidators',
  id: bech32Form(OPERATOR, form),
  exampleId,
  validator,
  network,
};
