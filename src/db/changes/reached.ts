/** Revisions of datasets by name. */
export type Reached = ReadonlyMap<string, number>;

export const reachedOf = (rows: Record<string, unknown>[]): Reached =>
  new Map(rows.map(({ name, revision }) => [name as string, revision as number]));

/** Whether a server with the revisions `own` has all changes of `wanted`. */
export const reaches = (own: Reached, wanted: Reached): boolean =>
  [...wanted].every(([name, revision]) => (own.get(name) ?? 0) >= revision);

/** Servers replay changes in the same order, so a server with more changes has all of one with fewer. */
export const totalRevisions = (revisions: Iterable<number>): number =>
  [...revisions].reduce((sum, revision) => sum + revision, 0);

const KEPT_MS = 60_000;

/**
 * Measures how long ago the primary had revisions that a replica lacks. Unlike the time of the last replayed
 * transaction, revisions need no common clock, and a replica of an idle primary does not seem late.
 */
export function lagMeter(now = () => performance.now()) {
  let seen: { at: number; reached: Reached }[] = [];
  return {
    note(reached: Reached) {
      const at = now();
      const last = seen.at(-1)?.reached;
      if (last && !reaches(reached, last)) seen = []; // a failover lost changes
      if (!last || !reaches(last, reached)) seen.push({ at, reached });
      const recent = seen.findIndex((one) => at - one.at <= KEPT_MS);
      seen = seen.slice(Math.max(0, (recent < 0 ? seen.length : recent) - 1));
    },
    /** In milliseconds; at least a minute for a longer lag. */
    of(reached: Reached): number {
      const missing = seen.find((one) => !reaches(reached, one.reached));
      return missing ? now() - missing.at : 0;
    },
  };
}
