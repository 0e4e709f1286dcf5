import { Children, type CSSProperties, type ReactNode } from 'react';

export type TileProps = {
  label: string;
  unit?: string;
  exact?: string;
  note?: ReactNode;
  children: ReactNode;
};

/** A figure in large type. `exact` is its full value, when `children` is shortened. */
export function Tile(props: TileProps) {
  const { label, unit, exact, note, children } = props;
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd>
        <span className="value" title={exact}>
          {children}
          {unit && <small> {unit}</small>}
        </span>
        {note && <span className="note">{note}</span>}
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
