/**
 * What the gateways of the tests are set to, instead of the production deadlines of 5 and 15 seconds: a busy machine stalls
 * longer than that. A test that is about a deadline sets its own.
 */
export const deadlines = { WAIT_TIMEOUT_MS: '120000', STATEMENT_TIMEOUT_MS: '120000' };

/** The delay of the event loop is ignored, because a machine that stalls for seconds would get 503. */
export const serverDeadlines = { maxEventLoopDelayMs: 0, requestTimeoutMs: 120_000 };

/** The first of them, for pools that a test opens itself. */
export const waitTimeoutMs = Number(deadlines.WAIT_TIMEOUT_MS);
