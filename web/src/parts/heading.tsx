import type { ReactNode } from 'react';
import { ago, momentUtc } from './format.ts';

/** Until when the figures of a page go. */
export type AsOf =
  | { readonly epoch?: number | null; readonly slot?: number | null; readonly time: string }
  | null
  | undefined;

export function Heading(props: { title: string; about?: ReactNode; asOf?: AsOf; children?: ReactNode }) {
  const { title, about, asOf, children } = props;
  return (
    <header className="heading">
      <title>{`${title} · stakegraph`}</title>
      <div>
        <h1>{title}</h1>
        {about && <p className="about">{about}</p>}
        {asOf && (
          <p className="as-of">
            Data as of <time dateTime={asOf.time}>{momentUtc(asOf.time)}</time> ({ago(asOf.time)})
            {asOf.epoch != null && `, epoch ${asOf.epoch}`}
          </p>
        )}
      </div>
      {children && <div className="controls">{children}</div>}
    </header>
  );
}
