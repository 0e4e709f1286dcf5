/** If false, reads all rows as columns, with the same responses. */
export const FAST_ROWS: boolean = true;
