/** Why a list could not be mirrored: names the path, what the service did, and what to do. */
export class UpstreamError extends Error {
  /** Undefined when there was no response. */
  readonly status: number | undefined;
  /** Whether other lists would fail the same way. */
  readonly fatal: boolean;
  /** Whether all attempts failed. */
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

/** The list changed while it was walked, so rows may be missing: walk it again. */
export class ChangedError extends Error {}

/** The run ends before this list is read. */
export class StoppedError extends Error {}
