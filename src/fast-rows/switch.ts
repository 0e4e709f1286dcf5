/** If false, each row is read as columns instead of one text. Responses stay the same. */
export const FAST_ROWS: boolean = true;
