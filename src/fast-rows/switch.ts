/** Whether rows of plain fields are read as text. If false, all rows are read as columns, and every response stays the same. */
export const FAST_ROWS: boolean = true;
