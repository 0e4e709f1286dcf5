import type { Pool } from '../../db/pool.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { isObject } from '../importer.ts';
import { UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import type { MirrorScope } from './options.ts';
import type { StateKey } from './state.ts';
import type { Upstream } from './upstream.ts';

/** What plans of lists depend on. */
export type Planning = {
  db: Pool;
  /** Origin and base path of the service: the key of its stored state. */
  source: string;
  upstream: Upstream;
  scope: MirrorScope;
  /** The stored position of a series; undefined to read it from its beginning. */
  position(list: StateKey): Promise<string | undefined>;
};

/** Yields the lists of a resource in the order of mirroring. */
export type Plan<Where> = (planning: Planning, where: Where) => AsyncGenerator<MirrorList>;

/** Rows per page, at most the list's own maximum. */
export const pageSize = ({ pageSize }: MirrorScope, most = 200): string => String(Math.min(most, pageSize));

/** Continues a series from the last stored day, which may have been partial. */
export const since = (parameter: string, position: string | undefined): Record<string, string> =>
  position === undefined ? {} : { [parameter]: position };

/** Throws for rows of something else, as from a service that does not know a parameter. */
export function asAsked(asked: Record<string, string>) {
  return (row: unknown): unknown => {
    if (!isObject(row)) return row;
    for (const [name, value] of Object.entries(asked)) {
      const given = row[name] ?? value;
      if (normaliseId(String(given)) === normaliseId(value)) continue;
      throw new UpstreamError(
        `answers rows of ${name} ${String(given).slice(0, 80)} where ${value} was asked for; nothing loaded.`,
      );
    }
    return { ...row, ...Object.fromEntries(Object.entries(asked).filter(([name]) => row[name] == null)) };
  };
}
