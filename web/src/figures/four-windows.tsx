import { windowNames } from '../url/windows.ts';
import { Figure } from './figure.tsx';
import { besideColumns, linesOf } from './operator-windows.ts';

const fourWindows = [
  { key: 'oneDay', head: windowNames['1d'] },
  { key: 'sevenDays', head: windowNames['7d'] },
  { key: 'thirtyDays', head: windowNames['30d'] },
  { key: 'allTime', head: windowNames.all },
] as const;
const columns = besideColumns(fourWindows);

type Given = Parameters<typeof linesOf>[0][string];

/** The figures of an operator or a set in each window. */
export function FourWindows({
  of,
}: {
  of: { readonly [Window in (typeof fourWindows)[number]['key']]?: Given };
}) {
  const { oneDay, sevenDays, thirtyDays, allTime } = of;
  return (
    <Figure
      title="The four windows"
      note="The same figures in each window."
      columns={columns}
      rows={linesOf({ oneDay, sevenDays, thirtyDays, allTime })}
    />
  );
}
