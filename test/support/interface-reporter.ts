import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { titlesIn } from './titles.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));

/** Its tests refuse every parameter of every path. That one is accepted is shown by a test about that parameter. */
const DERIVED = /^contract\/parameters\./;
/** Files with random requests: what they request in one run, they may not in the next. */
const RANDOM = /estimate|differential/;
/** A request of a test about something else may be refused too: only a title like these is about a refusal. */
const ABOUT_REFUSAL = /refus|fault|requires|40\d|at most/;

/** What the passed tests of a file show of the interface. */
function shownBy(module: TestModule): string[] {
  const file = relative(tests, module.moduleId);
  if (RANDOM.test(file)) return [];
  const titles = titlesIn(readFileSync(module.moduleId, 'utf8'));
  return [...module.children.allTests('passed')].flatMap((test) => {
    const aboutRefusal = ABOUT_REFUSAL.test(titles.of(test.name));
    return ((test.meta() as { shows?: string[] }).shows ?? []).filter((item) =>
      item.includes(' refuses ') ? aboutRefusal : !DERIVED.test(file),
    );
  });
}

/** Fails a run of all tests if a path, parameter, GraphQL field or argument is not requested by any of them. */
export default class InterfaceReporter implements Reporter {
  #vitest?: Vitest;

  onInit(vitest: Vitest) {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]) {
    const ran = new Set(modules.map(({ moduleId }) => relative(tests, moduleId)));
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' });
    const all = files.filter((file) => file.endsWith('.test.ts')).every((file) => ran.has(file));
    if (!all || this.#vitest?.config.testNamePattern) return;
    const { everything } = await import('./interface.ts');
    const shown = new Set(modules.flatMap(shownBy));
    const missing = everything().filter((item) => !shown.has(item));
    if (missing.length === 0) return;
    process.exitCode = 1;
    console.error(`No passed test shows these parts of the interface:\n  ${missing.join('\n  ')}`);
  }
}
