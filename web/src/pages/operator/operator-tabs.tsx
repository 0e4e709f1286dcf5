import { useSearchParams } from 'react-router';
import { SearchLink } from '../../parts/controls.tsx';
import { changed, oneOf } from '../../url/url-state.ts';
import { granularity } from './operator-periods.ts';

export const tabs = oneOf('tab', ['summary', 'performance', 'rewards', 'validators', 'events'], 'summary');
export type Tab = (typeof tabs.values)[number];
const names: Record<Tab, string> = {
  summary: 'Summary',
  performance: 'Performance',
  rewards: 'Rewards',
  validators: 'Validators',
  events: 'Events',
};

/** Hours are stored for attestations only. */
const withoutHours = (search: URLSearchParams) =>
  granularity.read(search) === 'hour' ? { [granularity.name]: undefined } : {};

/** Links to the tabs of an operator. The range stays, also through tabs that have none. */
export function Tabs() {
  const [search] = useSearchParams();
  const present = tabs.read(search);
  return (
    <nav className="tabs" aria-label="Parts of the operator">
      {tabs.values.map((tab) => (
        <SearchLink
          key={tab}
          aria-current={tab === present ? 'page' : undefined}
          make={(given) =>
            changed(given, { [tabs.name]: tabs.write(tab), ...(tab === 'rewards' && withoutHours(given)) })
          }
        >
          {names[tab]}
        </SearchLink>
      ))}
    </nav>
  );
}
