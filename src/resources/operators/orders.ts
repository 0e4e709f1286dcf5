import { builder } from '../../graphql/schema/builder.ts';
import { enumName } from '../../graphql/schema/enums.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { readWhere, whereFault } from '../../graphql/schema/where.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { type OperatorOrderField, operatorOrders } from './queries.ts';
import type { IdType } from './record.ts';

const over = 'over the window of the list, or over 30 days for ALL; rows without it come last.';
const orders: Record<OperatorOrderField, string> = {
  networkPenetration:
    "Share of the network's active effective balance: the order of the list without orderBy.",
  validatorCount: 'Number of validators.',
  avgValidatorEffectiveness: 'Mean effectiveness of the validators.',
  aprPercentage: 'Annualised rewards; operators without it come last.',
  operatorId: 'Name, address, public key or index, by its bytes.',
  networkPenetrationChange: `Change of networkPenetration ${over}`,
  validatorCountChange: `Change of validatorCount ${over}`,
  avgValidatorEffectivenessChange: `Change of avgValidatorEffectiveness ${over}`,
  aprPercentageChange: `Change of aprPercentage ${over}`,
  missedProposalCount: 'Blocks that were missed in the window; operators of which it is not known come last.',
  sumEndEpochEffectiveBalanceChange: `Change of sumEndEpochEffectiveBalance, the stake in Gwei, ${over}`,
};

export const OperatorOrder = orderInput('Operator', operatorOrders, (field) => orders[field]);

export const OperatorWhere = builder.inputType('OperatorWhere', {
  description:
    'Which operators of a list to return: those that match every given field. Bounds are inclusive; an operator without the figure matches none.',
  fields: (t) => ({
    name: t.string({
      description:
        'Part of operatorId or displayName; A to Z match in either case. Not for addresses, validators and private sets.',
    }),
    tags: t.stringList({
      description: 'Names of labels, at most 20; the operator has at least one of them.',
    }),
    minValidators: t.int({ description: 'Fewest validators.' }),
    maxValidators: t.int({ description: 'Most validators.' }),
    minStake: t.field({
      type: 'BigInt',
      description: 'Least effective balance at the end of the window, in Gwei.',
    }),
    maxStake: t.field({
      type: 'BigInt',
      description: 'Largest effective balance at the end of the window, in Gwei.',
    }),
    minApr: t.float({ description: 'Least aprPercentage, in percent.' }),
    maxApr: t.float({ description: 'Largest aprPercentage, in percent.' }),
    minEffectiveness: t.float({ description: 'Least avgValidatorEffectiveness, in percent, 0..100.' }),
    maxEffectiveness: t.float({ description: 'Largest avgValidatorEffectiveness, in percent, 0..100.' }),
  }),
});

const pairs = [
  ['minValidators', 'maxValidators'],
  ['minStake', 'maxStake'],
  ['minApr', 'maxApr'],
  ['minEffectiveness', 'maxEffectiveness'],
] as const;

const MAX_TAGS = 20;
/** Most operators of these types have no name. A search by name would read all of them, so it is refused. */
const nameless: readonly IdType[] = ['depositAddress', 'withdrawalAddress', 'validator'];

/** The filter of a list, null if it has none. Throws BAD_INPUT where the class has no such order or filter. */
export function readOrder(
  orderBy: unknown,
  where: typeof OperatorWhere.$inferInput | null | undefined,
  idType: IdType,
) {
  const given = Object.entries({ orderBy, where }).filter(([, value]) => value != null);
  if (idType === 'privateSet' && given.length > 0)
    throw badInput(
      given.map(([name]) => ({
        loc: ['argument', name],
        msg: `${name} is not for idType PRIVATE_SET.`,
        type: 'value_error',
      })),
    );
  if (!where) return null;
  const faults: Fault[] = [];
  if (where.name != null && nameless.includes(idType)) {
    const msg = `is not for idType ${enumName(idType)}; operator(operatorId:) finds an address or validator`;
    faults.push(whereFault('name', msg));
  }
  const tags = where.tags?.length ?? 1;
  if (tags < 1 || tags > MAX_TAGS)
    faults.push(whereFault('tags', `has ${tags} names; 1 to ${MAX_TAGS} are needed`));
  return readWhere(where, pairs, faults);
}
