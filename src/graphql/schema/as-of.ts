import { SLOTS_PER_EPOCH, slotTimestamp } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { SolanaAsOf } from '../../db/solana-as-of.ts';
import { builder } from './builder.ts';
import type { FieldsOf } from './columns.ts';

type AsOf = { epoch: number | null; slot: number | null; time: string };

const AsOfType = builder.objectRef<AsOf>('AsOf').implement({
  description: 'Where the facts behind figures end.',
  fields: (t) => ({
    epoch: t.exposeInt('epoch', { nullable: true, description: 'Last epoch; null when it is not known.' }),
    slot: t.exposeInt('slot', {
      nullable: true,
      description: 'Last slot of that epoch; null when it is not known, as on Solana.',
    }),
    time: t.expose('time', {
      type: 'DateTime',
      description: 'When that slot began; on Solana, when the epoch ended.',
    }),
  }),
});

type Facts = { network: Network; epoch: number | null | undefined } | SolanaAsOf | undefined;

function asOf(facts: Facts): AsOf | null {
  if (facts?.epoch == null) return null;
  if (!('network' in facts)) return { ...facts, slot: null };
  const slot = (facts.epoch + 1) * SLOTS_PER_EPOCH - 1;
  return { epoch: facts.epoch, slot, time: slotTimestamp(facts.network, slot) };
}

export const asOfField = <Row>(
  t: FieldsOf<Row>,
  factsOf: (row: Row & object) => Facts,
  description = 'Where the facts of these figures end; null for imported ones.',
) =>
  t.field({
    type: AsOfType,
    nullable: true,
    description,
    resolve: ((row: Row & object) => asOf(factsOf(row))) as never,
  });
