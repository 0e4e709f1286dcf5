/** A part of a whole as a bar; `text` is the figure beside it. */
export const Share = ({ value, of = 1, text }: { value: number; of?: number; text: string }) => (
  <span className="share">
    <span className="bar" aria-hidden="true">
      <span style={{ width: `${Math.min(100, (100 * value) / of)}%` }} />
    </span>
    <span>{text}</span>
  </span>
);
