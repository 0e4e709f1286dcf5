/** The message names the path, the response, and what to do. */
export class UpstreamError extends Error {
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** Other lists would fail the same way. */
  readonly fatal: boolean;
  /** All attempts failed. */
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

/** The list changed during the walk, so rows may be missing: walk it again. */
export class ChangedError extends Error {}

/** The run ended before the list was read. */
export class StoppedError extends Error {}
