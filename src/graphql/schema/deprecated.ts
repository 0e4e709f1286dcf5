const LAST_DAY = '2027-05-31';

export const replacedBy = (replacement: string): string => `Use ${replacement}. Works until ${LAST_DAY}.`;
