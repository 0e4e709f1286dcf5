import type { Fault } from '../../kernel/refusal.ts';

/** Faults of a `where` whose lower bound exceeds its upper one. */
export const boundsFaults = (
  where: Readonly<Record<string, unknown>>,
  pairs: readonly (readonly [string, string])[],
): Fault[] =>
  pairs.flatMap(([low, high]) => {
    const [from, to] = [where[low], where[high]];
    if (from == null || to == null || Number(from) <= Number(to)) return [];
    const msg = `where.${low} is ${from} and where.${high} is ${to}: no row is within both.`;
    return [{ loc: ['argument', 'where', low], msg, type: 'value_error' }];
  });

/** Faults of a text that REST would refuse as an id. */
export function textFaults(name: string, given: string | null | undefined): Fault[] {
  if (given == null) return [];
  const why =
    given === ''
      ? 'is empty'
      : given.length > 256
        ? `has ${given.length} characters; at most 256 are accepted`
        : undefined;
  return why ? [{ loc: ['argument', 'where', name], msg: `where.${name} ${why}.`, type: 'value_error' }] : [];
}
