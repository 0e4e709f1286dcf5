export type LinkedAborter = {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Ends the link to the outer signal. */
  release(): void;
};

/**
 * `signal` aborts with `outer` or by `abort`. For each request, because `AbortSignal.any` leaks memory with a long-lived
 * signal (Node 20).
 */
export function linkedAborter(outer: AbortSignal): LinkedAborter {
  outer.throwIfAborted();
  const aborter = new AbortController();
  const stop = () => aborter.abort(outer.reason);
  outer.addEventListener('abort', stop);
  return {
    signal: aborter.signal,
    abort: (reason) => aborter.abort(reason),
    release: () => outer.removeEventListener('abort', stop),
  };
}
