import { join, relative } from 'node:path';
import { beforeAll, type RunnerTask } from 'vitest';
import { waits } from './files.ts';

const root = join(import.meta.dirname, '../..');

const again = (tasks: RunnerTask[]) => {
  for (const task of tasks) {
    if ('tasks' in task) again(task.tasks);
    else task.retry ||= 1;
  }
};

// A test of processes or pages that fails is tried once more; the last lines of the run name it.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what the hook needs
beforeAll(({}, { file, tasks }) => {
  if (waits(relative(root, file.filepath))) again(tasks);
});
