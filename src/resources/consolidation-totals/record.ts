import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';
import { EntityClass } from '../consolidations/record.ts';

const entity = {
  id: Leaf.text(256).min(1).describe('Name or address of the entity.'),
  idType: EntityClass.describe('Class of the entity.'),
};

/** Counts only source validators (spec §4.9). */
export const EntityConsolidation = z
  .object({
    ...entity,
    consolidationCount: Leaf.count().describe('Consolidations of its validators as sources, at least 1.'),
    sourceValidatorCount: Leaf.count().describe('Its validators that were consolidated, at least 1.'),
    targetValidatorCount: Leaf.count().describe(
      'Validators that received their balances, of any entity, at least 1.',
    ),
    consolidatedBalance: Leaf.gwei().describe('Balance moved, in Gwei.'),
    startDate: Leaf.date().describe(
      'UTC date on which the day of the first one starts, by the calendar in use.',
    ),
    endDate: Leaf.date().describe(
      'UTC date on which the day of the last one starts, by the calendar in use.',
    ),
  })
  .meta({
    id: 'EntityConsolidation',
    description: 'Consolidations by the entity of the source validator.',
  });
export type EntityConsolidation = z.infer<typeof EntityConsolidation>;

/** Excludes `idType`, which is equal in all rows. */
export const entitySortFields = [
  'id',
  'consolidationCount',
  'sourceValidatorCount',
  'targetValidatorCount',
  'consolidatedBalance',
  'startDate',
  'endDate',
] as const satisfies (keyof EntityConsolidation)[];
export type EntitySortField = (typeof entitySortFields)[number];

const capacity = {
  timeWindow: TimeWindow.describe('Window that the figures cover, up to latestEpoch.'),
  latestEpoch: Leaf.count().describe('Newest epoch whose active balance is known.'),
  consolidationChurnLimit: Leaf.gwei().describe(
    'Balance that the fork of latestEpoch (Electra, Fulu or Gloas) allows to be consolidated per epoch, in Gwei.',
  ),
  capacity: Leaf.gwei().describe(
    'Sum of the churn limits of the epochs of the window since Electra, each with the limit of its fork, at the active balance of latestEpoch, in Gwei.',
  ),
};

/** Spec §4.9. */
export const ConsolidationCapacity = z
  .object({
    ...capacity,
    consolidatedBalance: Leaf.gwei().describe('Balance consolidated in the window, in Gwei.'),
    consolidationCount: Leaf.count().describe('Consolidations processed in the window, at least 0.'),
    capacityFilled: Leaf.nonNegative()
      .nullable()
      .describe(
        'Share of the capacity that was filled, as a ratio, at least 0; null when the capacity is 0.',
      ),
  })
  .meta({
    id: 'ConsolidationCapacity',
    description: 'Use of the consolidation churn limit in a window.',
  });
export type ConsolidationCapacity = z.infer<typeof ConsolidationCapacity>;

export const EntityConsolidationCapacity = z
  .object({
    ...entity,
    ...capacity,
    consolidatedBalance: Leaf.gwei().describe('Balance consolidated by the entity in the window, in Gwei.'),
    consolidationCount: Leaf.count().describe('Consolidations of the entity in the window, at least 1.'),
    capacityFilled: Leaf.nonNegative()
      .nullable()
      .describe(
        'Share of the capacity that all entities together filled, as a ratio, at least 0; null when the capacity is 0.',
      ),
    capacityShare: Leaf.nonNegative()
      .nullable()
      .describe(
        'Share of the capacity that the entity filled, its consolidatedBalance ÷ capacity, at least 0; null when the capacity is 0.',
      ),
  })
  .meta({
    id: 'EntityConsolidationCapacity',
    description: 'Use of the consolidation churn limit by an entity in a window.',
  });
export type EntityConsolidationCapacity = z.infer<typeof EntityConsolidationCapacity>;

/** Excludes figures that have the same value in all rows. */
export const capacitySortFields = [
  'id',
  'consolidatedBalance',
  'consolidationCount',
  'capacityShare',
] as const satisfies (keyof EntityConsolidationCapacity)[];
export type CapacitySortField = (typeof capacitySortFields)[number];

/** In GraphQL only. */
export const ConsolidationRecord = z
  .object({
    id: Leaf.text(32).describe('The network.'),
    consolidationCount: Leaf.count().describe('Consolidations processed, at least 0.'),
    consolidatedBalance: Leaf.bigCount().describe('Balance moved, in Gwei, at least 0.'),
    capacity: Leaf.bigCount()
      .nullable()
      .describe(
        'Sum of the churn limits of the epochs of the period since Electra, in Gwei, each with the limit of its fork, at the active balance known at the end of the day; null while no active balance of the network is stored.',
      ),
    capacityFilled: Leaf.nonNegative()
      .nullable()
      .describe(
        'Share of the capacity that these consolidations filled, as a ratio, at least 0; null when the capacity is 0 or unknown.',
      ),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'ConsolidationRecord', description: 'Consolidations of a period and the churn they used.' });
export type ConsolidationRecord = z.infer<typeof ConsolidationRecord>;
export type ConsolidationRecordField = keyof ConsolidationRecord;

/** Imported to compute capacities; no API returns it. */
export const ChainBalance = z
  .object({
    epoch: Leaf.count().describe('Epoch.'),
    totalActiveBalance: Leaf.gwei().describe('Effective balance of all active validators, in Gwei.'),
  })
  .meta({ id: 'ChainBalance', description: 'The stake of a network at an epoch.' });
