import type { Pool } from '../../db/pool.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { isObject } from '../importer.ts';
import { UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import type { MirrorScope } from './options.ts';
import type { StateKey } from './state.ts';
import type { Upstream } from './upstream.ts';

/** What the lists of a resource are told by. */
export type Planning = {
  db: Pool;
  /** Origin and base path of the service: the key of its stored state. */
  source: string;
  upstream: Upstream;
  scope: MirrorScope;
  /** How far a series is; undefined where it is to be read from its beginning. */
  position(list: StateKey): Promise<string | undefined>;
};

/** The lists of a resource, in the order in which they are mirrored; of a network where it is of Ethereum. */
export type Plan<Where> = (planning: Planning, where: Where) => AsyncGenerator<MirrorList>;

/** The rows to ask for on a page of a list, which has at the most so many of them. */
export const pageSize = ({ pageSize }: MirrorScope, most = 200): string => String(Math.min(most, pageSize));

/** What a series is asked for beyond its parameters: the days from the last one stored, which may have been partial. */
export const since = (parameter: string, position: string | undefined): Record<string, string> =>
  position === undefined ? {} : { [parameter]: position };

/** Throws for rows that are of something else than was asked for, as from a service that does not know a parameter. */
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
