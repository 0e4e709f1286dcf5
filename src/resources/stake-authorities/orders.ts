import { builder } from '../../graphql/schema/builder.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { readWhere, whereFault } from '../../graphql/schema/where.ts';
import { type StakeAuthorityOrderField, stakeAuthorityOrders } from './queries.ts';
import type { StakeAuthorityType } from './record.ts';

const over = 'over the window of the list, or over 30 days for ALL; rows without it come last.';
const orders: Record<StakeAuthorityOrderField, string> = {
  networkPenetration: "Share of the network's delegated stake: the order of the list without orderBy.",
  delegatedStake: 'Delegated stake.',
  delegatorApy: 'Yearly yield of staking and MEV rewards together.',
  blendedVoteCommissionRate: 'Commission on staking rewards.',
  validatorDelegates: 'Validators that its stake is delegated to, at least 0.',
  poolName: 'Name of the stake pool, by its bytes; individuals come last.',
  delegatedStakeChange: `Change of delegatedStake ${over}`,
  delegatorApyChange: `Change of delegatorApy ${over}`,
  aggregateValidatorEffectivenessChange: `Change of aggregateValidatorEffectiveness ${over}`,
};

export const StakeAuthorityOrder = orderInput(
  'StakeAuthority',
  stakeAuthorityOrders,
  (field) => orders[field],
);

export const StakeAuthorityWhere = builder.inputType('StakeAuthorityWhere', {
  description:
    'Which stake authorities of a list to return: those that match every given field. Bounds are inclusive.',
  fields: (t) => ({
    name: t.string({ description: 'Part of poolName; A to Z match in either case. Finds pools only.' }),
    minStake: t.field({ type: 'Decimal', description: 'Least delegated stake, in SOL.' }),
    maxStake: t.field({ type: 'Decimal', description: 'Largest delegated stake, in SOL.' }),
    minApy: t.float({ description: 'Least delegatorApy, as a ratio: 0.06 is 6 %.' }),
    maxApy: t.float({ description: 'Largest delegatorApy, as a ratio: 0.06 is 6 %.' }),
    minCommission: t.float({ description: 'Least blendedVoteCommissionRate, 0..1.' }),
    maxCommission: t.float({ description: 'Largest blendedVoteCommissionRate, 0..1.' }),
    minValidators: t.int({ description: 'Fewest validatorDelegates.' }),
    maxValidators: t.int({ description: 'Most validatorDelegates.' }),
  }),
});

const pairs = [
  ['minStake', 'maxStake'],
  ['minApy', 'maxApy'],
  ['minCommission', 'maxCommission'],
  ['minValidators', 'maxValidators'],
] as const;

export function whereOf(
  where: typeof StakeAuthorityWhere.$inferInput | null | undefined,
  type: StakeAuthorityType | null,
) {
  const isNameless = where?.name != null && type === 'individual';
  const fault = whereFault('name', 'is not for type INDIVIDUAL, which has no names');
  return readWhere(where, pairs, isNameless ? [fault] : []);
}
