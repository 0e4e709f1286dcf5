import { z } from 'zod';
import { memberClasses } from '../../db/operator-members.ts';
import * as Leaf from '../../kernel/leaves.ts';

/** The order of `sourceEntities` and `targetEntities`. */
export const entityClasses = memberClasses;
export const EntityClass = z.enum(entityClasses);
export type EntityClass = z.infer<typeof EntityClass>;

export const ConsolidationEntity = z
  .object({
    id: Leaf.text(256).min(1).describe('Name or address of the entity.'),
    idType: EntityClass.describe('Class of the entity.'),
  })
  .meta({ id: 'ConsolidationEntity', description: 'An entity that a consolidated validator belongs to.' });
export type ConsolidationEntity = z.infer<typeof ConsolidationEntity>;

const entities = (side: string) =>
  z
    .array(ConsolidationEntity)
    .describe(
      `Known entities of the ${side} validator: deposit address, withdrawal address, node operator, pool and pool share.`,
    );

/** Spec §4.9. */
export const Consolidation = z
  .object({
    day: Leaf.count().describe('Day of the epoch in the calendar in use.'),
    date: Leaf.date().describe('UTC date on which the day starts.'),
    epoch: Leaf.count().describe('Epoch at whose end it was processed.'),
    timestamp: Leaf.timestamp().describe('When the epoch begins.'),
    sourceValidatorIndex: Leaf.count().describe('Index of the validator whose balance moved.'),
    sourceValidatorPubkey: Leaf.hex(48).describe('Public key of that validator, 0x and 96 hex digits.'),
    targetValidatorIndex: Leaf.count().describe('Index of the validator that received the balance.'),
    targetValidatorPubkey: Leaf.hex(48).describe('Public key of that validator, 0x and 96 hex digits.'),
    sourceEntities: entities('source'),
    targetEntities: entities('target'),
    consolidatedBalance: Leaf.gwei().describe('Balance moved, in Gwei; at most 2048 ETH.'),
  })
  .meta({ id: 'Consolidation', description: "A validator's balance moved to another validator." });
export type Consolidation = z.infer<typeof Consolidation>;

export const consolidationSortFields = [
  'day',
  'date',
  'epoch',
  'timestamp',
  'sourceValidatorIndex',
  'targetValidatorIndex',
  'consolidatedBalance',
] as const satisfies (keyof Consolidation)[];
export type ConsolidationSortField = (typeof consolidationSortFields)[number];

export const PendingConsolidation = z
  .object({
    position: Leaf.count().describe('Place in the queue, at least 0; 0 is processed first.'),
    sourceValidatorIndex: Leaf.count().describe('Index of the validator whose balance will move.'),
    targetValidatorIndex: Leaf.count().describe('Index of the validator that will receive the balance.'),
    amount: Leaf.gwei().describe(
      'What would move now, in Gwei: the balance of the source, at most its effective balance; 0 for a slashed source.',
    ),
    expectedEpoch: Leaf.count()
      .nullable()
      .describe(
        'Epoch at whose end the rules process it, unless a source up to it is slashed before; null for a slashed source.',
      ),
  })
  .meta({ id: 'PendingConsolidation', description: 'An entry of the queue of consolidations of the chain.' });
export type PendingConsolidation = z.infer<typeof PendingConsolidation>;
