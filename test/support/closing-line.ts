import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line, `N passed, N failed, N skipped`, after the names of tests that passed when tried again. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const again: string[] = [];
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A file that fails before its tests are collected counts as one failure.
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
        if (test.diagnostic()?.flaky)
          again.push(`passed when tried again: ${module.relativeModuleId} > ${test.fullName}\n`);
      }
    }
    process.once('exit', (code) => {
      // A run can fail without a failed test, as when a part of the interface has no test.
      if (code !== 0 && counts.failed === 0) counts.failed = 1;
      process.stdout.write(
        `${again.join('')}${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
      );
    });
  }
}
