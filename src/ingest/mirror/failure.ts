/** Why a list could not be mirrored. The message names the path, what the service did, and what to do. */
export class UpstreamError extends Error {
  /** Status of the answer that was the last word; undefined where there was none. */
  readonly status: number | undefined;
  /** Whether the other lists would fail the same way. */
  readonly fatal: boolean;
  /** Whether it was tried again in vain. */
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

/** The list changed while it was walked: what was read of it may lack rows, and it is to be walked anew. */
export class ChangedError extends Error {}

/** The run is to end before this list is read. */
export class StoppedError extends Error {}
