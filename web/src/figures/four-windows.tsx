import { calendarDate } from '../parts/format.ts';
import { windowNames } from '../url/windows.ts';
import { Figure } from './figure.tsx';
import { besideColumns, linesOf } from './operator-windows.ts';

const fourWindows = [
  { key: 'oneDay', head: windowNames['1d'] },
  { key: 'sevenDays', head: windowNames['7d'] },
  { key: 'thirtyDays', head: windowNames['30d'] },
  { key: 'allTime', head: windowNames.all },
] as const;
type Key = (typeof fourWindows)[number]['key'];

type Given = Parameters<typeof linesOf>[0][string];
type Windows = { readonly [Window in Key]?: Given };

/** Windows that have all figures of a shorter one, because no older day is stored. */
function repeatedIn(of: Windows): (typeof fourWindows)[number][] {
  const lines = linesOf({});
  const isAsBefore = (index: number) => {
    const [before, window] = [fourWindows[index - 1], fourWindows[index]].map((one) => one && of[one.key]);
    return before && window && lines.every(({ exact }) => exact(before) === exact(window));
  };
  return fourWindows.filter((_, index) => index > 0 && isAsBefore(index));
}

/** The figures of an operator or a set in each window; what is the same in all of them is in tiles above. */
export function FourWindows({
  of,
  lastDay,
  also,
}: {
  of: Windows;
  /** The chain day that ends all windows, where it is known. */
  lastDay?: string | undefined;
  also?: string | undefined;
}) {
  const { oneDay, sevenDays, thirtyDays, allTime } = of;
  const repeated = repeatedIn(of);
  const shown = fourWindows.filter((one) => !repeated.includes(one));
  const names = repeated.map(({ head }) => head).join(' and ');
  return (
    <Figure
      title="The four windows"
      note={[
        `The same figures in each window, of chain days${lastDay ? ` up to ${calendarDate(lastDay)}` : ''}.`,
        names && `${names} ${repeated.length > 1 ? 'are' : 'is'} the same as ${shown.at(-1)?.head}, so far.`,
        also && `${also}.`,
      ]
        .filter(Boolean)
        .join(' ')}
      columns={besideColumns(shown)}
      rows={linesOf({ oneDay, sevenDays, thirtyDays, allTime }).filter(({ isOfEnd }) => !isOfEnd)}
    />
  );
}
