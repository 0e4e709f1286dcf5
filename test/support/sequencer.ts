import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { waits } from './files.ts';

/**
 * The longest files first, as always, but with those that wait spread evenly among those that compute, so that the cores have
 * work all the time. Files with workers of their own come first: after them no worker is started anew.
 */
export default class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isolated = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter(({ project }) => !project.config.isolate);
    const waiting = (file: TestSpecification) => waits(relative(this.ctx.config.root, file.moduleId));
    const spread = (some: TestSpecification[]) =>
      some.map((file, index) => ({ file, at: (index + 0.5) / some.length }));
    const mixed = [
      ...spread(shared.filter(waiting)),
      ...spread(shared.filter((file) => !waiting(file))),
    ].toSorted((one, other) => one.at - other.at);
    return [...isolated, ...mixed.map(({ file }) => file)];
  }
}
