import type { Network } from '../chain/networks.ts';
import type { Validator } from '../resources/validators/record.ts';
import { addresses } from './addresses.ts';
import { headEpoch, validatorIndices } from './chain.ts';
import { mergeEpoch } from './consolidations.ts';
import type { Entity } from './entity.ts';
import { families } from './families.ts';
import { chance, hexDigits, type Random, stream, whole } from './random.ts';
import { type SampleSlashing, slashingsOf } from './slashings.ts';

/** A validator of the sample data. */
export type SampleValidator = Validator & { network: Network; depositAddress: string };

/** How many validators of each network there are, the slashed ones among them. */
const counts: Record<Network, number> = { mainnet: 5_000, hoodi: 500, holesky: 500 };

/** Whom a validator belongs to. */
type Owner = Pick<SampleValidator, 'depositAddress' | 'withdrawalAddress' | 'nodeOperator' | 'pool'>;

/** Draws from a list in proportion to the validators of each entity in the longest window. */
function draw(entities: readonly Entity[]): (random: Random) => Entity | undefined {
  const ends: number[] = [];
  let sum = 0;
  for (const entity of entities) ends.push((sum += entity.sizes.at(-1)?.validators ?? 0));
  return (random) => {
    const at = random() * sum;
    return entities[ends.findIndex((end) => at < end)];
  };
}

/** Draws owners of a network: a deposit address, and whose stake it deposits. */
function owners(network: Network, seed: number): (random: Random) => Owner {
  const family = families(network, seed);
  const addressed = [...addresses(network, seed)];
  const of = (idType: Entity['idType']) =>
    [...family, ...addressed].filter((entity) => entity.idType === idType);
  const [drawDeposit, drawPool, drawOperator, drawWithdrawal] = [
    draw(of('depositAddress')),
    draw(of('pool')),
    draw(of('nodeOperator')),
    draw(of('withdrawalAddress')),
  ];
  const shares = of('poolShare');
  const drawShare = new Map(
    of('pool').map(({ id }) => [id, draw(shares.filter((share) => share.parents?.poolId === id))]),
  );
  return (random) => {
    const depositAddress = drawDeposit(random)?.id as string;
    // An address deposits for one pool, for one operator of its own, or for nobody who is known.
    const own = stream(seed, network, 'depositor', depositAddress);
    const kind = own();
    const pool = kind < 0.74 ? (drawPool(own)?.id ?? null) : null;
    const share = pool !== null && chance(random, 0.95) ? drawShare.get(pool)?.(random) : undefined;
    const alone = kind >= 0.74 && kind < 0.94 ? drawOperator(own)?.id : undefined;
    // A tenth still has withdrawal credentials of the old kind, which name no address.
    const withdrawalAddress = chance(own, 0.1) ? null : (drawWithdrawal(own)?.id ?? null);
    return {
      depositAddress,
      withdrawalAddress,
      nodeOperator: share?.parents?.nodeOperatorId ?? alone ?? null,
      pool,
    };
  };
}

/** Epochs from a slashing to the exit, unless the queue is long: what the protocol looks ahead. */
const LOOKAHEAD = 5;
const SLASHED_WITHDRAWABLE_AFTER = 8_192;
const WITHDRAWABLE_AFTER = 256;
/** Epochs a validator has to be active before it may leave. */
const MIN_ACTIVE = 256;

/** When a validator was slashed, it exits; one that waited long can be withdrawn soon after its exit. */
function slashedExit({ slashingEpoch, withdrawableEpoch }: SampleSlashing): number {
  const queued = withdrawableEpoch > slashingEpoch + SLASHED_WITHDRAWABLE_AFTER;
  return queued ? withdrawableEpoch - WITHDRAWABLE_AFTER : slashingEpoch + LOOKAHEAD;
}

type Epochs = Pick<SampleValidator, 'activationEpoch' | 'exitEpoch'>;

/** Validators enter in the order of their indices; some have left, the last ones still wait. */
function epochsOf(random: Random, network: Network, index: number, slashing?: SampleSlashing): Epochs {
  const { genesis, head } = validatorIndices[network];
  const now = headEpoch[network];
  const entered = Math.max(0, Math.floor(((index - genesis) / (head - genesis)) * now * 1.003));
  if (slashing) {
    const { slashingEpoch } = slashing;
    const activationEpoch = Math.max(0, Math.min(entered, slashingEpoch - whole(random, 5, 400)));
    return { activationEpoch, exitEpoch: slashedExit(slashing) };
  }
  if (entered > now) return { activationEpoch: null, exitEpoch: null };
  const left = entered < now * 0.8 && chance(random, 0.12);
  return { activationEpoch: entered, exitEpoch: left ? whole(random, entered + 256, now - 300) : null };
}

/** The epochs of a validator that leaves to be consolidated, unless it left before or came too late for it. */
function merged(epochs: Epochs, exitEpoch: number | undefined): Epochs {
  const { activationEpoch, exitEpoch: left } = epochs;
  const stays = exitEpoch === undefined || activationEpoch === null || left !== null;
  return stays || exitEpoch < activationEpoch + MIN_ACTIVE ? epochs : { activationEpoch, exitEpoch };
}

/** The indices of a network's validators in order: those of its slashings, and others. */
function indicesOf(random: Random, network: Network, slashed: ReadonlyMap<number, unknown>): number[] {
  const found = new Set(slashed.keys());
  while (found.size < counts[network]) found.add(whole(random, 0, validatorIndices[network].head));
  return [...found].sort((a, b) => a - b);
}

/** The validators of a network, by index. */
export function* validatorsOf(network: Network, seed: number): Generator<SampleValidator> {
  const random = stream(seed, network, 'validators');
  const slashings = new Map(slashingsOf(network, seed).map((row) => [row.validatorIndex, row]));
  const drawOwner = owners(network, seed);
  let owner: Owner | undefined;
  let previous = 0;
  for (const validatorIndex of indicesOf(random, network, slashings)) {
    const slashing = slashings.get(validatorIndex);
    // Validators of one operator were made together: their indices lie close.
    if (!owner || validatorIndex - previous > 150) owner = drawOwner(random);
    previous = validatorIndex;
    const pubkey = `0x${'89ab'[whole(random, 0, 3)]}${hexDigits(random, 95)}`;
    const merge = mergeEpoch(network, seed, owner.depositAddress, validatorIndex);
    yield {
      network,
      validatorIndex,
      validatorPubkey: slashing?.validatorPubkey ?? pubkey,
      ...owner,
      ...merged(epochsOf(random, network, validatorIndex, slashing), slashing ? undefined : merge),
      slashed: slashing !== undefined,
    };
  }
}
