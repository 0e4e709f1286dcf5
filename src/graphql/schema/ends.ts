import { type BoundUnit, boundFaults, boundUnits } from '../../chain/bounds.ts';
import { type Ends, LAST_NUMBER } from '../../kernel/page.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';
import { builder } from './builder.ts';

export const endArgs = {
  Date: builder.args((t) => ({
    fromDate: t.field({ type: 'Date', description: 'First UTC date, inclusive.' }),
    toDate: t.field({ type: 'Date', description: 'Last UTC date, inclusive.' }),
  })),
  Day: builder.args((t) => ({
    fromDay: t.int({ description: 'First chain day, inclusive, >= 0.' }),
    toDay: t.int({ description: 'Last chain day, inclusive, >= 0.' }),
  })),
  Epoch: builder.args((t) => ({
    fromEpoch: t.int({ description: 'First epoch, inclusive, >= 0.' }),
    toEpoch: t.int({ description: 'Last epoch, inclusive, >= 0.' }),
  })),
  Slot: builder.args((t) => ({
    fromSlot: t.int({ description: 'First slot, inclusive, >= 0.' }),
    toSlot: t.int({ description: 'Last slot, inclusive, >= 0.' }),
  })),
};

export type EndArgs = { [Name in `${'from' | 'to'}${BoundUnit}`]?: string | number | null | undefined };
/** Each function converts a bound to positions in the list. */
type Covers = {
  Date?: (date: string) => Ends;
  Day?: (day: number) => Ends;
  Epoch?: (epoch: number) => Ends;
  Slot?: (slot: number) => Ends;
};

/** Throws BAD_INPUT for negative bounds and empty ranges. */
export function endsOf(args: EndArgs, covers: Covers): Ends {
  const faults: Fault[] = [];
  const ends = { first: 0, last: LAST_NUMBER };
  for (const unit of boundUnits) {
    const cover = covers[unit] as ((bound: string | number) => Ends) | undefined;
    for (const name of [`from${unit}`, `to${unit}`] as const) {
      const bound = args[name];
      if (bound == null || !cover) continue;
      if (typeof bound === 'number' && bound < 0) {
        const msg = `${name} is ${bound}; an integer >= 0 is needed.`;
        faults.push({ loc: ['argument', name], msg, type: 'value_error' });
      } else if (name.startsWith('from')) ends.first = Math.max(ends.first, cover(bound).first);
      else ends.last = Math.min(ends.last, cover(bound).last);
    }
  }
  faults.push(...boundFaults(args, 'argument'));
  if (faults.length > 0) throw badInput(faults);
  return ends;
}
