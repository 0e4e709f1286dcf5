/** If false, rows are read as columns instead of one text per row, with equal responses. */
export const FAST_ROWS: boolean = true;
