import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { titlesIn } from './titles.ts';

const TABLE = new URL('../contract/interface-tests.json', import.meta.url);
const tests = fileURLToPath(new URL('..', import.meta.url));

/** What tests show, by file and title. */
type Shown = Record<string, Record<string, string[]>>;
type Test = { file: string; title: string; items: string[] };

/** What each test of a file shows, by the title as it stands there; undefined where one of them failed or did not run. */
function shownBy(module: TestModule): Record<string, string[]> | undefined {
  const titles = titlesIn(readFileSync(module.moduleId, 'utf8'));
  const found: Record<string, Set<string>> = {};
  for (const test of module.children.allTests()) {
    if (test.result().state !== 'passed') return undefined;
    const items = (found[titles.of(test.name)] ??= new Set());
    for (const item of (test.meta() as { shows?: string[] }).shows ?? []) items.add(item);
  }
  return Object.fromEntries(Object.entries(found).map(([title, items]) => [title, [...items]]));
}

const testsOf = (shown: Shown): Test[] =>
  Object.entries(shown).flatMap(([file, titles]) =>
    Object.entries(titles).map(([title, items]) => ({ file, title, items })),
  );

/** This file shows the refusals of every path. That a parameter is accepted is shown by a test about that parameter. */
const DERIVED = 'contract/parameters';
/** Files with random requests: what they request in one run, they may not in the next. */
const RANDOM = /estimate|differential/;
/** A request of a test about something else may be refused too: only a title like these is about a refusal. */
export const ABOUT_REFUSAL = /refus|fault|requires|40\d|at most/;
const mayShow = (item: string, { file, title }: Test) =>
  item.includes(' refuses ') ? ABOUT_REFUSAL.test(title) : file !== DERIVED;

/** For each thing the one test that says most of it: that of before, else in the file of a room, by its title, about little else. */
function choose(known: Shown, ran: Shown): Shown {
  const before = testsOf(known);
  const all = [...before.filter(({ file }) => !(file in ran)), ...testsOf(ran)];
  const chosen = new Map<Test, string[]>();
  for (const item of new Set(all.flatMap(({ items }) => items))) {
    const last = before.find(({ items }) => items.includes(item));
    const word = item.split(/[ (.]/).at(-1)?.replace(')', '') as string;
    const rank = ({ file, title, items }: Test) =>
      (file === last?.file && title === last.title ? -1_000_000 : 0) +
      (file === DERIVED ? 100_000 : file.startsWith('resources/') ? 0 : 10_000) +
      (title.includes(word) ? 0 : 1_000) +
      Math.min(items.length, 999);
    const [best] = all
      .filter((test) => test.items.includes(item) && !RANDOM.test(test.file) && mayShow(item, test))
      .sort((a, b) => rank(a) - rank(b));
    if (best) chosen.set(best, [...(chosen.get(best) ?? []), item]);
  }
  // In an order that does not tell which test was faster.
  const shown: Shown = {};
  const name = ({ file, title }: Test) => `${file}\0${title}`;
  for (const [{ file, title }, items] of [...chosen].sort(([a], [b]) => (name(a) < name(b) ? -1 : 1)))
    (shown[file] ??= {})[title] = items.sort();
  return shown;
}

/**
 * Fails the run when no test of a file shows any more what interface-tests.json names a test of that file for.
 * With INTERFACE_TESTS=write, records the tests of the run in that table instead.
 */
export default class InterfaceReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const known: Shown = JSON.parse(readFileSync(TABLE, 'utf8'));
    const ran: Shown = {};
    for (const module of modules) {
      const shown = shownBy(module);
      if (shown) ran[relative(tests, module.moduleId).replace(/\.test\.ts$/, '')] = shown;
    }
    if (process.env.INTERFACE_TESTS === 'write') {
      writeFileSync(TABLE, `${JSON.stringify(choose(known, ran), null, 2)}\n`);
      return;
    }
    const gone = testsOf(known).flatMap(({ file, title, items }) => {
      const now = ran[file] && new Set(Object.values(ran[file]).flat());
      return items
        .filter((item) => now && !now.has(item))
        .map((item) => `test/${file}.test.ts no longer shows "${item}", as "${title}" did: npm run docs`);
    });
    if (gone.length === 0) return;
    process.exitCode = 1;
    console.error(`test/contract/interface-tests.json is out of date:\n  ${gone.join('\n  ')}`);
  }
}
