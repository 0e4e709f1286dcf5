import type { PageSizes } from '../kernel/page.ts';
import { boolParam, enumParam, formParam, intParam, textParam } from '../kernel/params.ts';
import { parseDate } from '../kernel/time.ts';
import { networks } from './networks.ts';
import { TimeWindow } from './windows.ts';

export const networkParam = () =>
  enumParam(
    networks,
    {
      description:
        'Ethereum network. `holesky` is deprecated: support for it ended in March 2025. `sepolia` has only what was indexed or imported.',
      default: 'mainnet',
    },
    ['holesky'],
  );

const dateParam = (description: string) =>
  formParam<string, { form: string; description: string; nullable: true }>(
    { description, form: 'a date like 2024-03-31', nullable: true },
    { type: 'string', format: 'date' },
    (text) => (parseDate(text) === undefined ? undefined : text),
  );

const dayParam = (description: string) => intParam({ description, min: 0, nullable: true });

/** Parameters of REST by their kinds, and those that several paths have. */
export const param = {
  int: intParam,
  choice: enumParam,
  bool: boolParam,
  text: textParam,
  form: formParam,
  date: dateParam,
  window: () =>
    enumParam(TimeWindow.options, {
      description: 'Aggregation window: the last 1, 7 or 30 days, or all time.',
    }),
  range: () => ({
    fromDate: dateParam('First date, inclusive.'),
    toDate: dateParam('Last date, inclusive.'),
    fromDay: dayParam('Number of the first day, inclusive: of UTC days with utc, else of chain days.'),
    toDay: dayParam('Number of the last day, inclusive: of UTC days with utc, else of chain days.'),
    utc: boolParam({
      description: 'true: by UTC days; false: by Ethereum chain days.',
      nullable: true,
      default: false,
    }),
  }),
  size: ({ defaultSize, maxSize }: PageSizes) =>
    intParam({ description: 'Rows per page.', min: 1, max: maxSize, default: defaultSize }),
  page: ({ defaultSize, maxSize }: PageSizes) => ({
    limit: intParam({ description: 'Results per page.', min: 1, max: maxSize, default: defaultSize }),
    offset: intParam({ description: 'Results to skip.', min: 0, default: 0 }),
  }),
  revision: () =>
    intParam({
      description:
        'Revision of the list to read, from `next`; paging then returns each row once despite refreshes. Replaced lists are kept for up to an hour, at most eight of each.',
      min: 0,
      nullable: true,
    }),
  sortOrder: (order: 'asc' | 'desc' = 'asc') =>
    enumParam(['asc', 'desc'], { description: 'Sort order.', nullable: true, default: order }),
};
