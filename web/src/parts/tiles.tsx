import { Children, type CSSProperties, type ReactNode } from 'react';
import { Spark } from './spark.tsx';

export type TileProps = {
  label: string;
  unit?: string;
  exact?: string;
  note?: ReactNode;
  /** How it changed over the range of the page. */
  change?: ReactNode;
  /** Values over that range, oldest first; a plot of the page shows the same figures. */
  trend?: readonly (number | null | undefined)[] | undefined;
  children: ReactNode;
};

/** A figure in large type. `exact` is its full value, when `children` is shortened. */
export function Tile(props: TileProps) {
  const { label, unit, exact, note, change, trend, children } = props;
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd>
        <span className="value" title={exact}>
          {children}
          {unit && <small> {unit}</small>}
        </span>
        {change && <span className="note">{change}</span>}
        {note && <span className="note">{note}</span>}
        {trend && <Spark values={trend} fill />}
      </dd>
    </div>
  );
}

/** The most tiles in a row, by the width of the screen; see styles.css. */
const mostTiles = { '--narrow': 2, '--medium': 4, '--large': 5, '--wide': 8 };

/** Tiles in rows of about equal length, so that none is left alone. */
export function Tiles({ children }: { children: ReactNode }) {
  const number = Children.toArray(children).length;
  const inRow = (most: number) => Math.ceil(number / Math.ceil(number / most));
  const style = Object.fromEntries(Object.entries(mostTiles).map(([name, most]) => [name, inRow(most)]));
  return (
    <dl className="tiles" style={style as CSSProperties}>
      {children}
    </dl>
  );
}

export const TileList = ({ tiles }: { tiles: readonly TileProps[] }) => (
  <Tiles>
    {tiles.map((tile) => (
      <Tile key={tile.label} {...tile} />
    ))}
  </Tiles>
);
