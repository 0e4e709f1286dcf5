/** If false, values are read column by column instead of as one text per row; the responses are the same. */
export const FAST_ROWS: boolean = true;
