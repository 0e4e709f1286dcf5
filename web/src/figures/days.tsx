import { Choice } from '../parts/controls.tsx';
import { oneOf } from '../url/url-state.ts';

const days = oneOf('days', ['30', '90', '180'], '90');
const names = { '30': '30 days', '90': '90 days', '180': '180 days' };

/** How many days the plots of a page have. */
export const daysOf = (search: URLSearchParams) => Number(days.read(search));
export const PlotLength = () => <Choice param={days} label="Length of the plots" names={names} />;
