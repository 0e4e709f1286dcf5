/** The last day on which deprecated fields and arguments work; see docs/deprecation.md. */
const LAST_DAY = '2027-05-31';

/** The deprecation reason of a field or argument that another one replaces. */
export const replacedBy = (replacement: string): string => `Use ${replacement}. Works until ${LAST_DAY}.`;
