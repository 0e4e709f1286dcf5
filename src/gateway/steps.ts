/** A signal came before the last step. */
export class Stopped extends Error {}

/** What a start does in order, with how each step is undone. */
export class Steps {
  private readonly isStopped: () => boolean;
  private readonly undoing: (() => Promise<unknown>)[] = [];

  constructor(isStopped: () => boolean) {
    this.isStopped = isStopped;
  }

  /** Throws `Stopped` in place of a step that is no longer wanted. */
  async take<Result>(
    step: () => Result | Promise<Result>,
    undo?: (result: Result) => Promise<unknown>,
  ): Promise<Result> {
    if (this.isStopped()) throw new Stopped();
    const result = await step();
    if (undo) this.undoing.push(() => undo(result));
    return result;
  }

  /** Undoes all steps, the last one first, and then throws the first failure. */
  async undo(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.undoing.splice(0).reverse()) await step().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
