import { decimal } from './format.ts';

/** How a figure changed, in words and by a sign; `good` is the better direction, if there is one. */
export function Change(props: {
  value: number | null | undefined;
  /** Without its sign. */
  text: string;
  good?: 'up' | 'down';
  title?: string | undefined;
}) {
  const { value, text, good, title } = props;
  if (value == null) return null;
  // A change that is shown as zero has no direction.
  const way = !/[1-9]/.test(text) ? undefined : value > 0 ? 'up' : 'down';
  const sign = way === 'up' ? '+' : way === 'down' ? '−' : '±';
  return (
    <span className="change" data-tone={way && good && (way === good ? 'good' : 'bad')} title={title}>
      {sign}
      {text}
    </span>
  );
}

/** A change in percentage points, such as +0.12. */
export const PointChange = (props: {
  value: number | null | undefined;
  good?: 'up' | 'down';
  digits?: number;
  unit?: boolean;
}) => {
  const { value, good, digits = 2, unit = false } = props;
  const text = `${decimal(Math.abs(value ?? 0), digits)}${unit ? ' points' : ''}`;
  return <Change value={value} text={text} {...(good && { good })} />;
};
