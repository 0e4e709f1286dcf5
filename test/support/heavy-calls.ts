import { LARGE } from './large-operator.ts';

/** Values that find most in the data of `large-operator.ts`, by the name of an argument. */
export const known: Record<string, string> = {
  operatorId: JSON.stringify(LARGE),
  parentId: JSON.stringify(LARGE),
  idType: 'NODE_OPERATOR',
  window: 'ALL',
  query: '"a"',
  text: '"a"',
  fromDay: '1600',
  fromEpoch: '1',
  fromDate: '"2024-01-01"',
  fromSlot: '1',
  slashed: 'false',
};
