/** The state saved by an earlier run cannot be used. */
export class SavedStateError extends Error {}
