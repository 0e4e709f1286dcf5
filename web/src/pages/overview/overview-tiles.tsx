import { Change } from '../../parts/change.tsx';
import { TileList } from '../../parts/tiles.tsx';
import type { Spans } from './overview-days.ts';
import { figuresOf } from './overview-figures.ts';

export function OverviewTiles({ spans }: { spans: Spans }) {
  const tiles = figuresOf(spans).map(({ value, change, ...rest }) => ({
    ...rest,
    change: change && (
      <>
        <Change value={change.by} text={change.text} {...(change.good && { good: change.good })} />{' '}
        {change.since}
      </>
    ),
    children: value,
  }));
  return <TileList tiles={tiles} />;
}
