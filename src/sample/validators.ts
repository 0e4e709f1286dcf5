import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { electraEpoch } from '../chain/churn.ts';
import type { IdType } from '../resources/operators/record.ts';
import type { Validator } from '../resources/validators/record.ts';
import { lastIndex, type Network, type Sample } from './chain.ts';
import { addresses, namedOperators } from './operators.ts';
import { chance, pickEarly, publicKey, type Random, stream, whole } from './random.ts';
import { slashingsOf } from './slashings.ts';

export type SampleValidator = Validator & { network: Network; depositAddress: string };

const counts: Record<Network, number> = { mainnet: 5_000, hoodi: 500, holesky: 500 };

type Owner = Pick<SampleValidator, 'depositAddress' | 'withdrawalAddress' | 'nodeOperator' | 'pool'>;

/** All validators of a depositor have the same pool or operator, or neither. */
function ownersOf({ seed }: Sample, network: Network): (random: Random) => Owner {
  const all = [...namedOperators(network, seed), ...addresses(network, seed)];
  const of = (idType: IdType) => all.filter((one) => one.idType === idType && one.sizes.validators > 0);
  const [deposits, withdrawals] = [of('depositAddress'), of('withdrawalAddress')];
  const [pools, operators, shares] = [of('pool'), of('nodeOperator'), of('poolShare')];
  return (random) => {
    const depositAddress = pickEarly(random, deposits).id;
    const own = stream(seed, network, 'depositor', depositAddress);
    const kind = own();
    const pool = kind < 0.75 ? pickEarly(own, pools).id : null;
    const inPool = shares.filter((share) => share.poolId === pool);
    const share = inPool.length > 0 ? pickEarly(random, inPool).nodeOperatorId : undefined;
    return {
      depositAddress,
      // Old withdrawal credentials contain no address.
      withdrawalAddress: chance(own, 0.1) ? null : pickEarly(own, withdrawals).id,
      nodeOperator: share ?? (kind >= 0.75 && kind < 0.95 ? pickEarly(own, operators).id : null),
      pool,
    };
  };
}

type Epochs = Pick<SampleValidator, 'activationEpoch' | 'exitEpoch'>;

function epochsOf(
  random: Random,
  { head }: Sample,
  network: Network,
  { index, slashingEpoch }: { index: number; slashingEpoch: number | undefined },
): Epochs {
  const now = head[network];
  const entered = Math.floor((index / lastIndex[network]) * now * 1.003);
  if (slashingEpoch !== undefined) {
    const activationEpoch = Math.min(entered, slashingEpoch - 300);
    return { activationEpoch, exitEpoch: slashingEpoch + 5 };
  }
  if (entered > now) return { activationEpoch: null, exitEpoch: null };
  if (entered > now * 0.8 || !chance(random, 0.14)) return { activationEpoch: entered, exitEpoch: null };
  const last = now - 270;
  const day = chance(random, 0.1) ? last - EPOCHS_PER_DAY : electraEpoch[network] + 20;
  const from = chance(random, 0.3) ? 0 : day;
  return { activationEpoch: entered, exitEpoch: whole(random, Math.max(from, entered + 256), last) };
}

export function* validatorsOf(sample: Sample, network: Network): Generator<SampleValidator> {
  const random = stream(sample.seed, network, 'validators');
  const slashings = new Map(slashingsOf(sample, network).map((row) => [row.validatorIndex, row]));
  const indices = new Set(slashings.keys());
  while (indices.size < counts[network]) indices.add(whole(random, 0, lastIndex[network]));
  const drawOwner = ownersOf(sample, network);
  for (const validatorIndex of [...indices].sort((a, b) => a - b)) {
    const slashing = slashings.get(validatorIndex);
    yield {
      network,
      validatorIndex,
      validatorPubkey: slashing?.validatorPubkey ?? publicKey(random),
      ...drawOwner(random),
      ...epochsOf(random, sample, network, { index: validatorIndex, slashingEpoch: slashing?.slashingEpoch }),
      slashed: slashing !== undefined,
    };
  }
}
