import type { Statement } from '../../src/db/pool.ts';
import type { TestDatabase } from './gateway.ts';

/** Rows and blocks for each compute unit. */
export const MOST_WORK_A_UNIT = 20_000;
const MANY_UNITS = 50;

type Plan = Record<string, number | Plan[]> & { Plans?: Plan[] };
const rowsIn = (plan: Plan): number => {
  const rows = [
    'Actual Rows',
    'Rows Removed by Filter',
    'Rows Removed by Index Recheck',
    'Rows Removed by Join Filter',
  ];
  const once = rows.reduce((sum, name) => sum + Number(plan[name] ?? 0), 1);
  return once * Number(plan['Actual Loops']) + (plan.Plans ?? []).reduce((sum, one) => sum + rowsIn(one), 0);
};

const measured = new Map<string, number>();

/**
 * Runs the statements of a request again, and adds up their work: what the plans count, the rows of all their nodes and
 * the blocks, which no machine changes.
 */
export async function workOf({ pool }: TestDatabase, asked: readonly Statement[]): Promise<number> {
  let work = 0;
  for (const { text, values } of asked) {
    const key = JSON.stringify([text, values]);
    const before = measured.get(key);
    if (before !== undefined) {
      work += before;
      continue;
    }
    const explained = { text: `explain (analyze, buffers, timing off, format json) ${text}`, values };
    const { rows } = await pool.query(explained);
    const { Plan: plan } = (rows as { 'QUERY PLAN': [{ Plan: Plan }] }[]).flatMap(
      (row) => row['QUERY PLAN'],
    )[0] as {
      Plan: Plan;
    };
    const own = rowsIn(plan) + Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
    measured.set(key, own);
    work += own;
  }
  return work;
}

type Asked = { units: number; work: () => Promise<number> };

/** Returns the requests whose work is above the bound. `ask` gives undefined for a request that is refused or free. */
export async function heaviest(asked: Iterable<string>, ask: (text: string) => Promise<Asked | undefined>) {
  const over: { text: string; perUnit: number; units: number; work: number }[] = [];
  const heavy = new Set<string>();
  let answered = 0;
  for (const text of asked) {
    const alike = text.replace(
      /,? ?(orderBy: \{[^}]*\}|(from|to)Da(y|te): [^,)]+)|&?(sort\w+|fromDa\w+)=[^&]*/g,
      '',
    );
    if (heavy.has(alike)) continue;
    const found = await ask(text);
    if (!found) continue;
    const { units } = found;
    answered += 1;
    // If a request is charged by its size, one order and one period are tried instead of all, because each takes seconds.
    if (units > MANY_UNITS) heavy.add(alike);
    const work = await found.work();
    const perUnit = Math.round(work / units);
    if (perUnit > MOST_WORK_A_UNIT) over.push({ text, perUnit, units, work });
  }
  return { answered, over: over.toSorted((one, other) => other.perUnit - one.perUnit) };
}
