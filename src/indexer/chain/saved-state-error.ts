export class SavedStateError extends Error {}
