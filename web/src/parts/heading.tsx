import type { ReactNode } from 'react';
import { titled } from '../brand.tsx';
import { ago, momentUtc } from './format.ts';

/** Until when the figures of a page go. */
export type AsOf =
  | { readonly epoch?: number | null; readonly slot?: number | null; readonly time: string }
  | null
  | undefined;

/** Figures of days come once a day. */
const OLD_MS = 36 * 3_600_000;

export function Heading(props: { title: string; about?: ReactNode; asOf?: AsOf; children?: ReactNode }) {
  const { title, about, asOf, children } = props;
  return (
    <header className="heading">
      <title>{titled(title)}</title>
      <div>
        <h1>{title}</h1>
        {about && <p className="about">{about}</p>}
        {asOf && (
          <p className="as-of" data-age={Date.now() - Date.parse(asOf.time) > OLD_MS ? 'old' : undefined}>
            Data as of <time dateTime={asOf.time}>{momentUtc(asOf.time)}</time> ({ago(asOf.time)})
            {asOf.epoch != null && `, epoch ${asOf.epoch}`}
          </p>
        )}
      </div>
      {children && <div className="controls">{children}</div>}
    </header>
  );
}
