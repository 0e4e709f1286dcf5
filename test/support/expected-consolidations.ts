import { type Calendar, dateOfDay, dayOfEpoch, epochStart } from '../../src/chain/calendar.ts';
import { entityClasses } from '../../src/resources/consolidations/record.ts';
import { sampleConsolidations, sampleOperators, sampleValidators } from './sample.ts';

export const validators = [...sampleValidators()];
export type Owner = (typeof validators)[number];
export const ownerOf = new Map(validators.map((row) => [`${row.network}:${row.validatorIndex}`, row]));
const shares = new Map(
  [...sampleOperators()]
    .filter((row) => row.idType === 'poolShare')
    .map((row) => [JSON.stringify([row.network, row.poolId, row.nodeOperatorId]), row.id]),
);

/** The entities of a validator, by a plain walk over the sample. */
function entitiesOf(network: string, index: number) {
  const { depositAddress, withdrawalAddress, nodeOperator, pool } = ownerOf.get(
    `${network}:${index}`,
  ) as Owner;
  const share = shares.get(JSON.stringify([network, pool, nodeOperator]));
  const found = [depositAddress, withdrawalAddress, nodeOperator, pool, share];
  return entityClasses.flatMap((idType, place) => (found[place] ? [{ id: found[place], idType }] : []));
}

/** The expected rows, oldest first. */
export const expected = (network: 'mainnet' | 'hoodi', calendar: Calendar) =>
  [...sampleConsolidations(validators)]
    .filter((row) => row.network === network)
    .map(({ network: _, ...row }) => {
      const day = dayOfEpoch(network, calendar, row.epoch);
      return {
        ...row,
        day,
        date: dateOfDay(network, day),
        timestamp: new Date(epochStart(network, row.epoch) * 1000).toISOString().replace('.000', ''),
        sourceEntities: entitiesOf(network, row.sourceValidatorIndex),
        targetEntities: entitiesOf(network, row.targetValidatorIndex),
        consolidatedBalance: Number(row.consolidatedBalance),
      };
    });
export const mainnet = expected('mainnet', 'chain');
export const middle = mainnet[Math.floor(mainnet.length / 2)] as (typeof mainnet)[number];
