import type { ReactNode } from 'react';
import { titled } from '../brand.tsx';
import { ago, momentUtc } from './format.ts';

/** Until when the figures of a page go. */
export type AsOf =
  | { readonly epoch?: number | null; readonly slot?: number | null; readonly time: string }
  | null
  | undefined;

const HOUR_MS = 3_600_000;
/** How long figures are the newest that there can be, and from when on they are old: they come soon after each period has ended. */
const hours = { day: { new: 25, old: 36 }, epoch: { new: 60, old: 84 } };
const isOver = (time: string, most: number) => Date.now() - Date.parse(time) > most * HOUR_MS;
export const isOld = (time: string, by: keyof typeof hours = 'day') => isOver(time, hours[by].old);

const ageOf = (time: string, by: keyof typeof hours) =>
  isOld(time, by) ? 'old' : isOver(time, hours[by].new) ? 'late' : 'new';

export function Heading(props: {
  title: string;
  about?: ReactNode;
  /** Whether all is well, above what the page is about. */
  verdict?: ReactNode;
  asOf?: AsOf;
  /** What its figures are published for, if not for days: an epoch of Solana takes about two days. */
  by?: keyof typeof hours;
  /** Links and buttons to what can be done with all of the page. */
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const { title, about, verdict, asOf, by = 'day', actions, children } = props;
  const age = asOf && ageOf(asOf.time, by);
  return (
    <header className="heading">
      <title>{titled(title)}</title>
      <div>
        <div className="titled">
          <h1>{title}</h1>
          {actions && <div className="title-actions">{actions}</div>}
        </div>
        {verdict && <p className="lead">{verdict}</p>}
        {about && <p className="about">{about}</p>}
        {asOf && (
          <p className="as-of" data-age={age}>
            Data as of <time dateTime={asOf.time}>{momentUtc(asOf.time)}</time> ({ago(asOf.time)}
            {age === 'new' && `, the newest whole ${by}`}){asOf.epoch != null && `, epoch ${asOf.epoch}`}
          </p>
        )}
      </div>
      {children && <div className="controls">{children}</div>}
    </header>
  );
}
