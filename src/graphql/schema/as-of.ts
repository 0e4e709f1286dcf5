import { SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { SolanaAsOf } from '../../db/solana-as-of.ts';
import { timestampText } from '../../kernel/time.ts';
import { builder } from './builder.ts';
import type { FieldsOf } from './columns.ts';

type AsOf = { epoch: number | null; slot: number | null; time: string };

export const AsOfType = builder.objectRef<AsOf>('AsOf').implement({
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

export function asOfEpoch(network: Network, epoch: number | null | undefined): AsOf | null {
  if (epoch == null) return null;
  const slot = (epoch + 1) * SLOTS_PER_EPOCH - 1;
  return { epoch, slot, time: timestampText(slotStart(network, slot)) };
}

export const asOfSolana = (asOf: SolanaAsOf | undefined): AsOf | null =>
  asOf ? { ...asOf, slot: null } : null;

export const asOfField = <Row>(t: FieldsOf<Row>, resolve: (row: Row & object) => AsOf | null) =>
  t.field({
    type: AsOfType,
    nullable: true,
    description: 'Where the facts of these figures end; null for imported ones.',
    resolve: resolve as never,
  });
