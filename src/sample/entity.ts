import type { Network } from '../chain/networks.ts';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import type { IdType, OperatorSummary, OperatorTag } from '../resources/operators/record.ts';
import { activeEth } from './chain.ts';
import { clientPercentages, type Mix, mixOf, relayerPercentages } from './mixes.ts';
import { performanceOf, type Quality, qualityOf } from './performance.ts';
import { stream } from './random.ts';
import { balanceGwei, effectiveEth, effectiveGwei, empty, type Size } from './size.ts';

/** An operator summary of the sample data; a pool share names its pool and its node operator. */
export type SampleOperator = OperatorSummary & { network: Network; poolId?: string; nodeOperatorId?: string };

/** An operator over all windows. `sizes` follow the order of the windows. */
export type Entity = {
  network: Network;
  idType: IdType;
  id: string;
  displayName: string | null;
  tags: OperatorTag[];
  sizes: readonly Size[];
  quality: Quality;
  mix: Mix;
  /** Whether the balances, and with them the penetration, have been gathered. */
  balancesKnown: boolean;
  nodeOperatorCount: number | null;
  parents?: { poolId: string; nodeOperatorId: string };
};

/** What an operator is like and what it runs, drawn for its name. */
export function characterOf(
  entity: Pick<Entity, 'network' | 'idType' | 'id' | 'sizes'>,
  seed: number,
): { quality: Quality; mix: Mix } {
  const random = stream(seed, entity.network, entity.idType, entity.id, 'character');
  const validators = entity.sizes[0]?.validators ?? 0;
  return { quality: qualityOf(random, entity.network, validators), mix: mixOf(random, validators) };
}

/** Nothing in every window: the size of an operator that has left. */
export const gone: readonly Size[] = timeWindows.map(() => empty);

const days: Record<TimeWindow, number> = { '1d': 1, '7d': 7, '30d': 30, all: 1_000 };
const BLOCKS_PER_DAY = 7_200;

/** The summaries of an operator, one for each window. */
export function* summaries(entity: Entity, seed: number): Generator<SampleOperator> {
  const { network, idType, id, sizes, balancesKnown, quality, mix } = entity;
  const random = stream(seed, network, idType, id, 'figures');
  for (const [index, timeWindow] of timeWindows.entries()) {
    const size = sizes[index] ?? empty;
    const { validators } = size;
    const penetration = effectiveEth(size) / activeEth[network];
    const { aprPercentage, ...figures } = performanceOf(random, quality, {
      days: days[timeWindow],
      validators,
    });
    yield {
      id,
      idType,
      timeWindow,
      validatorCount: validators,
      ...figures,
      clientPercentages: clientPercentages(random, mix, validators),
      networkPenetration: balancesKnown ? penetration : null,
      relayerPercentages: relayerPercentages(random, mix, BLOCKS_PER_DAY * days[timeWindow] * penetration),
      nodeOperatorCount: entity.nodeOperatorCount,
      operatorTags: entity.tags,
      displayName: entity.displayName,
      aprPercentage,
      sumEndEpochBalance: balancesKnown ? balanceGwei(size) : null,
      sumEndEpochEffectiveBalance: balancesKnown ? effectiveGwei(size) : null,
      network,
      ...entity.parents,
    };
  }
}
