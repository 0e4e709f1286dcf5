import { slashing } from '../ingest/rows.ts';
import type { Gateway } from './gateway.ts';
import { importText } from './import.ts';

const root = (digit: string) => `0x${digit.repeat(64)}`;

/** Imports proposed blocks in one commit, as another process does. */
export const importBlocks = (
  gateway: Gateway,
  slots: readonly number[],
  { digit = 'a', network = 'mainnet' }: { digit?: string; network?: 'mainnet' | 'hoodi' } = {},
) =>
  importText(
    gateway,
    'blocks',
    JSON.stringify(
      slots.map((consensusSlot) => ({
        consensusSlot,
        validatorIndex: 7,
        consensusProposerDuty: 'proposed',
        consensusBlockRoot: root(digit),
      })),
    ),
    { network },
  );

export const importSlashings = (gateway: Gateway, validators: readonly number[]) =>
  importText(gateway, 'slashings', JSON.stringify(validators.map((index) => slashing(index))));

export const BLOCKS = `subscription ($after: Int) {
  blockAdded(after: $after) { revision omitted blocks { consensusSlot } }
}`;

/** The slots of an event of `BLOCKS`. */
export const slotsOf = (result: any): number[] =>
  result.data.blockAdded.blocks.map(({ consensusSlot }: { consensusSlot: number }) => consensusSlot);
