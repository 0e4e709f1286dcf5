const [WIDTH, HEIGHT] = [96, 24];

/** A small trend line, oldest value first. Without `label` it is decoration of a figure that is beside it. */
export function Spark(props: {
  values: readonly (number | null | undefined)[];
  label?: string;
  /** As wide as its frame. */
  fill?: boolean;
}) {
  const { values, label, fill = false } = props;
  const points = values.flatMap((value, index) => (value == null ? [] : [[index, value] as const]));
  if (points.length < 2) return null;
  const all = points.map(([, value]) => value);
  const least = Math.min(...all);
  const range = Math.max(...all) - least || 1;
  const drawn = points.map(([index, value]) => {
    const x = (index / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - ((value - least) / range) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden
    <svg
      className={fill ? 'spark fill' : 'spark'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      {...(fill ? { preserveAspectRatio: 'none' } : { width: WIDTH, height: HEIGHT })}
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      {fill && <polygon points={`0,${HEIGHT} ${drawn.join(' ')} ${WIDTH},${HEIGHT}`} />}
      <polyline points={drawn.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
