import type { operatorsQuery } from '../../__generated__/operatorsQuery.graphql';
import { colors, type Draw, ticksAs } from '../../figures/plots.ts';
import { count, percentage, shortCount } from '../../parts/format.ts';
import { longNameOf, measured, nameOf, stakeShare } from '../../parts/operators.tsx';
import { squarify } from './treemap.ts';

/** One of the largest operators of a list, with its page. */
export type Large = NonNullable<operatorsQuery['response']['largest']>['nodes'][number] & {
  href?: string | undefined;
};

const about = (row: Large) =>
  [
    longNameOf(row),
    `${stakeShare(row.summary?.networkPenetration)} of the stake`,
    `${count(row.summary?.validatorCount)} validators`,
    `${percentage(measured(row.summary, row.summary?.avgValidatorEffectiveness))} effectiveness`,
  ].join('\n');

/** The words that all names begin with, which would leave no room for the others. */
function commonWords([first = '', ...others]: readonly string[]): string {
  const words = first.split(' ');
  const starts = words.map((_, index) =>
    words
      .slice(0, index)
      .map((word) => `${word} `)
      .join(''),
  );
  return (
    starts.findLast((start) => others.length > 0 && others.every((name) => name.startsWith(start))) ?? ''
  );
}

const ROOM = { width: 56, height: 34, letter: 7 };
const shareOf = ({ summary }: Large) => summary?.networkPenetration ?? 0;

/** Shares of the stake as boxes, with all other stake. */
export const treemap: Draw<Large> = (plot, rows, width) => {
  const height = Math.round(Math.min(380, Math.max(260, width * 0.6)));
  const rest = 1 - rows.reduce((sum, row) => sum + shareOf(row), 0);
  const items = [
    ...rows.map((row) => ({ item: row as Large | undefined, value: shareOf(row) })),
    { item: undefined, value: Math.max(0, rest) },
  ].sort((a, b) => b.value - a.value);
  const boxes = squarify(items, width, height);
  const most = Math.max(...rows.map(shareOf));
  const begin = commonWords(rows.map(nameOf));
  type Box = (typeof boxes)[number];
  const named = boxes.filter(({ x1, x2, y1, y2 }) => x2 - x1 > ROOM.width && y2 - y1 > ROOM.height);
  const label = ({ item, x1, x2 }: Box) => {
    const letters = Math.floor((x2 - x1 - 12) / ROOM.letter);
    const full = item ? nameOf(item).slice(begin.length) : 'All other stake';
    const shown = full.length > letters ? `${full.slice(0, letters - 1)}…` : full;
    return `${shown}\n${stakeShare(item ? shareOf(item) : rest)}`;
  };
  const sides = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', inset: 1, rx: 4 } as const;
  return {
    height,
    margin: 0,
    x: { axis: null, domain: [0, width], range: [0, width] },
    y: { axis: null, domain: [0, height], range: [0, height] },
    opacity: { type: 'identity' },
    marks: [
      plot.rect(
        boxes.filter(({ item }) => !item),
        { ...sides, fill: 'var(--raised)' },
      ),
      plot.rect(
        boxes.filter(({ item }) => item),
        {
          ...sides,
          fill: colors[0],
          fillOpacity: ({ item }: Box) => 0.16 + 0.3 * Math.sqrt(shareOf(item as Large) / most),
          href: ({ item }: Box) => item?.href,
          title: ({ item }: Box) => about(item as Large),
          ariaLabel: ({ item }: Box) => about(item as Large).replaceAll('\n', ', '),
        },
      ),
      plot.text(named, {
        x: 'x1',
        y: 'y1',
        dx: 8,
        dy: 8,
        textAnchor: 'start',
        lineAnchor: 'top',
        lineHeight: 1.25,
        text: label,
        pointerEvents: 'none',
      }),
    ],
  };
};

/** Effectiveness against size. */
export const dots: Draw<Large> = (plot, rows, width) => {
  const drawn = rows.filter(({ summary }) => summary && summary.validatorCount > 0);
  const x = ({ summary }: Large) => summary?.validatorCount;
  const y = ({ summary }: Large) => summary?.avgValidatorEffectiveness;
  return {
    height: 300,
    marginLeft: 52,
    x: {
      type: 'log',
      label: 'Validators',
      ticks: Math.floor(width / 90),
      tickFormat: shortCount,
      nice: true,
    },
    y: {
      label: 'Effectiveness',
      grid: true,
      nice: true,
      ticks: 5,
      tickFormat: ticksAs(percentage),
    },
    r: { range: [4, 18] },
    marks: [
      plot.dot(drawn, {
        x,
        y,
        r: shareOf,
        fill: colors[0],
        fillOpacity: 0.35,
        stroke: colors[0],
        href: 'href',
        ariaLabel: (row: Large) => about(row).replaceAll('\n', ', '),
      }),
      plot.tip(drawn, plot.pointer({ x, y, title: about, lineHeight: 1.3, pointerEvents: 'none' })),
    ],
  };
};
