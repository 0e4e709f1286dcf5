/** What an earlier run has saved cannot be read. */
export class SavedStateError extends Error {}
