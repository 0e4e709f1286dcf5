import { ValidatorSet } from '../../../src/indexer/chain/registry.ts';
import { rulesAt } from '../../../src/indexer/chain/rules.ts';
import { termsOf } from '../../../src/indexer/chain/terms.ts';
import type { ValidatorRecord } from '../../../src/indexer/chain/types.ts';
import { EpochVotes, flagWeights } from '../../../src/indexer/chain/votes.ts';
import type { World } from '../../../src/indexer/chain/world.ts';
import { committeesOf, rootOf, spec } from './small-chain.ts';

/** A world of these validators, whose balances are their effective balances. */
export function worldOf(
  epoch: number,
  records: readonly ValidatorRecord[],
  { newcomers = new Map<string, number>(), size = records.length, voteEpochs = [] as number[] } = {},
): World {
  const registry = new ValidatorSet(spec.effectiveBalanceIncrement, size);
  for (const record of records) registry.set(record);
  const balances = new Float64Array(size);
  balances.set(records.map(({ effectiveBalance }) => effectiveBalance));
  const increments = Uint16Array.from(balances, (balance) => balance / spec.effectiveBalanceIncrement);
  const active = records.filter((v) => v.activationEpoch <= epoch && epoch < v.exitEpoch);
  const slashed = new Uint8Array(size);
  slashed.set(records.map((record) => Number(record.slashed)));
  const prefixes = new Uint8Array(size);
  prefixes.set(records.map((record) => Number(record.withdrawalCredentials.slice(0, 4))));
  return {
    spec,
    epoch,
    rules: rulesAt(spec, epoch),
    terms: termsOf(
      spec,
      active.reduce((sum, { index }) => sum + (increments[index] as number), 0),
    ),
    weights: flagWeights(spec),
    balances,
    increments,
    scores: new Uint32Array(size),
    slashed,
    prefixes,
    exits: registry.exit.slice(0, size),
    exiting: new Set(),
    registry,
    records: new Map(records.map((record) => [record.index, record])),
    votes: voteEpochs.map((each) => EpochVotes.open(committeesOf(each, records), size)),
    rootAt: rootOf,
    ...{ blocks: new Map(), payments: new Map(), builders: null },
    deposits: [],
    slashings: [],
    newcomers,
  };
}
