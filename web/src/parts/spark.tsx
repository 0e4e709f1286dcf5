/** A small trend line for a row of a table, oldest value first. */
export function Spark({ values, label }: { values: readonly (number | null | undefined)[]; label: string }) {
  const points = values.flatMap((value, index) => (value == null ? [] : [[index, value] as const]));
  if (points.length < 2) return null;
  const all = points.map(([, value]) => value);
  const least = Math.min(...all);
  const range = Math.max(...all) - least || 1;
  const [width, height] = [96, 24];
  const drawn = points.map(([index, value]) => {
    const x = (index / (values.length - 1)) * width;
    return `${x.toFixed(1)},${(height - 2 - ((value - least) / range) * (height - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <polyline points={drawn.join(' ')} fill="none" stroke="var(--series-1)" strokeWidth="1.5" />
    </svg>
  );
}
