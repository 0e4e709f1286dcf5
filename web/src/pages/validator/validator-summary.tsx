import { Facts } from '../../parts/facts.tsx';
import { calendarDate, eth } from '../../parts/format.ts';
import { fullNameOf, OperatorLink } from '../../parts/operators.tsx';
import type { ValidatorData as Validator } from './validator-figures.tsx';

export function Credentials({ validator }: { validator: Validator }) {
  const operatorOf = (idType: string, otherwise: string) => {
    const found = validator.operators.find((operator) => operator.idType === idType);
    return found ? <OperatorLink key={idType} operator={found} name={fullNameOf(found)} /> : otherwise;
  };
  return (
    <Facts
      title="Credentials and operators"
      facts={[
        ['Index', validator.validatorIndex],
        ['Public key', validator.validatorPubkey],
        ['Activation epoch', validator.activationEpoch ?? 'not known yet'],
        ['Exit epoch', validator.exitEpoch ?? (validator.status === 'ACTIVE' ? 'none is set' : 'not known')],
        [
          'Withdrawal address',
          operatorOf('WITHDRAWAL_ADDRESS', validator.withdrawalAddress ?? 'none is set'),
        ],
        ['Deposit address', operatorOf('DEPOSIT_ADDRESS', validator.depositAddress ?? 'not known')],
        ['Node operator', operatorOf('NODE_OPERATOR', validator.nodeOperator ?? 'not known')],
        ['Pool', operatorOf('POOL', validator.pool ?? 'none')],
      ]}
    />
  );
}

type Slashing = NonNullable<Validator['slashing']>;

export const SlashingFacts = ({ slashing }: { slashing: Slashing }) => (
  <Facts
    title="Slashing"
    facts={[
      ['Slashed in epoch', slashing.slashingEpoch],
      ['Date (UTC)', calendarDate(slashing.date)],
      ['Penalties so far', eth(slashing.slashingPenalties)],
      ['Balance before', eth(slashing.balanceBeforeSlashing)],
      ['Withdrawable from epoch', slashing.withdrawableEpoch],
    ]}
  />
);
