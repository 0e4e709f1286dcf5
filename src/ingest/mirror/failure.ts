export class UpstreamError extends Error {
  readonly status: number | undefined;
  /** True if other lists would fail too. */
  readonly fatal: boolean;
  /** True if all retries failed. Several such failures in a row end the run. */
  readonly again: boolean;

  constructor(
    message: string,
    { status, fatal = false, again = false }: { status?: number; fatal?: boolean; again?: boolean } = {},
  ) {
    super(message);
    this.again = again;
    this.status = status;
    this.fatal = fatal;
  }
}

/** The list changed while it was read, so rows may be missing. */
export class ChangedError extends Error {}

export class StoppedError extends Error {}
