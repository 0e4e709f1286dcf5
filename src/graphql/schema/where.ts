import type { Where } from '../../db/ranked/ordered-lists.ts';
import { textFault } from '../../kernel/params.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';

type Given = Readonly<Record<string, unknown>>;

export const whereFault = (name: string, msg: string): Fault => ({
  loc: ['argument', 'where', name],
  msg: `where.${name} ${msg}.`,
  type: 'value_error',
});

/** The given fields of `where`, null without any. Throws BAD_INPUT if no value lies between two bounds, and for `others`. */
export function readWhere(
  where: Given | null | undefined,
  pairs: readonly (readonly [string, string])[],
  others: readonly Fault[],
): Where | null {
  const given = Object.entries(where ?? {}).filter(([, value]) => value != null);
  const faults = [...(where ? commonFaults(where, pairs) : []), ...others];
  if (faults.length > 0) throw badInput(faults);
  if (given.length === 0) return null;
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      (Array.isArray(value) ? JSON.stringify(value) : value) as string | number,
    ]),
  );
}

function commonFaults(where: Given, pairs: readonly (readonly [string, string])[]): Fault[] {
  const faults = pairs.flatMap(([low, high]) => {
    const [from, to] = [where[low], where[high]];
    if (from == null || to == null || Number(from) <= Number(to)) return [];
    return [whereFault(low, `is ${from} and where.${high} is ${to}: no row is within both`)];
  });
  const fault = typeof where.name === 'string' ? textFault(where.name) : undefined;
  return fault ? [...faults, whereFault('name', fault)] : faults;
}
