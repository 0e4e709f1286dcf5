import { z } from 'zod';
import * as Leaf from '../../../kernel/leaves.ts';
import { amount, day, idForm, name, type RewardsDefinition, rate } from './definition.ts';

const pol = (what: string) => amount(what, 'POL');

const checkpoints = {
  fromCheckpoint: Leaf.count().describe('First checkpoint of the rewards, inclusive.'),
  toCheckpoint: Leaf.count().describe('Last checkpoint of the rewards, inclusive.'),
};
const totals = {
  totalStake: pol('Stake at the end of the day, own and delegated'),
  totalValidatorRewards: pol('Rewards of validators, commission included'),
  totalDelegatorRewards: pol('Rewards of delegators'),
};

const validator = z
  .object({
    day: day(),
    validatorId: Leaf.count().describe('Number of the validator.'),
    validatorName: name('Name of the validator'),
    ...checkpoints,
    commissionRate: rate('Commission of the validator'),
    ...totals,
  })
  .meta({ id: 'PolygonValidatorReward', description: 'What a Polygon validator earned in a day.' });

const network = z
  .object({
    day: day(),
    ...checkpoints,
    totalActiveValidators: Leaf.count().describe('Validators active at the end of the day, at least 0.'),
    ...totals,
  })
  .meta({ id: 'PolygonNetworkReward', description: 'What all Polygon validators earned in a day.' });

const INTEGER = { type: 'integer', minimum: 0, maximum: 999_999_999 };

export const polygon: RewardsDefinition = {
  title: 'Polygon',
  idField: 'validatorId',
  countField: 'totalActiveValidators',
  nameField: 'validatorName',
  id: idForm(/^(0|[1-9]\d{0,8})$/, 'a validator number like 27', INTEGER),
  exampleId: '27',
  sums: { validatorRewards: ['totalValidatorRewards'], delegatorRewards: ['totalDelegatorRewards'] },
  validator,
  network,
};
