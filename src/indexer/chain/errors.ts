/** A node's responses contradict each other or the chain. Another node may be right. */
export class InputError extends Error {
  readonly epoch: number;

  constructor(epoch: number, message: string) {
    super(`epoch ${epoch}: ${message}`);
    this.name = new.target.name;
    this.epoch = epoch;
  }
}

export class ReconcileError extends InputError {
  readonly validatorIndex: number;
  /** Reported amount minus computed amount. */
  readonly gwei: number;

  constructor(epoch: number, validatorIndex: number, gwei: number, what = 'balance') {
    super(
      epoch,
      `the ${what} of validator ${validatorIndex} differs by ${gwei} Gwei from what the blocks explain`,
    );
    this.validatorIndex = validatorIndex;
    this.gwei = gwei;
  }
}

/** `step` needs these validators' records after `epoch`. */
export class MissingRecords extends InputError {
  readonly indices: readonly number[];

  constructor(epoch: number, indices: readonly number[]) {
    super(epoch, `the records of validators ${indices.slice(0, 10).join(', ')} are missing`);
    this.indices = indices;
  }
}
