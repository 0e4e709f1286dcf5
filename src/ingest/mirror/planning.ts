import type { Pool } from '../../db/pool.ts';
import { isObject } from '../../kernel/json.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import type { MirrorScope } from './options.ts';
import type { StateKey } from './state.ts';
import type { Upstream } from './upstream.ts';

export type Planning = {
  db: Pool;
  /** Origin and base path of the service. */
  source: string;
  upstream: Upstream;
  scope: MirrorScope;
  position(list: StateKey): Promise<string | undefined>;
};

export type Plan<Where> = (planning: Planning, where: Where) => AsyncGenerator<MirrorList>;

export const pageSize = ({ pageSize }: MirrorScope, most = 200): string => String(Math.min(most, pageSize));

/** Starts at the last stored day, because that day may have been incomplete. */
export const since = (parameter: string, position: string | undefined): Record<string, string> =>
  position === undefined ? {} : { [parameter]: position };

/** Adds the requested parameters to rows that lack them. Throws if the service ignored a parameter. */
export function withRequested(query: Record<string, string>) {
  return (row: unknown): unknown => {
    if (!isObject(row)) return row;
    for (const [name, value] of Object.entries(query)) {
      const actual = row[name] ?? value;
      if (normaliseId(String(actual)) === normaliseId(value)) continue;
      throw new UpstreamError(
        `responds with rows of ${name} ${String(actual).slice(0, 80)} instead of ${value}; nothing loaded.`,
      );
    }
    return { ...row, ...Object.fromEntries(Object.entries(query).filter(([name]) => row[name] == null)) };
  };
}
