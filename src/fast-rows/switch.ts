/** If false, all rows are read as columns. Responses are the same. */
export const FAST_ROWS: boolean = true;
