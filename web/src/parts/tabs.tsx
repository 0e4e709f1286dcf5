import { useSearchParams } from 'react-router';
import { changed, oneOf } from '../url/url-state.ts';
import { SearchLink } from './controls.tsx';

/** The parts of an operator or a private set. */
export const tabs = oneOf('tab', ['summary', 'performance', 'rewards', 'validators', 'events'], 'summary');
export type Tab = (typeof tabs.values)[number];
const names: Record<Tab, string> = {
  summary: 'Summary',
  performance: 'Performance',
  rewards: 'Rewards',
  validators: 'Validators',
  events: 'Events',
};

/** Links to the tabs of a page. The range stays, also through tabs that have none; `also` tells what else a tab changes. */
export function Tabs(props: {
  label: string;
  also?: (tab: Tab, search: URLSearchParams) => Record<string, string | undefined>;
}) {
  const { label, also } = props;
  const [search] = useSearchParams();
  const present = tabs.read(search);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.values.map((tab) => (
        <SearchLink
          key={tab}
          aria-current={tab === present ? 'page' : undefined}
          make={(given) => changed(given, { [tabs.name]: tabs.write(tab), ...also?.(tab, given) })}
        >
          {names[tab]}
        </SearchLink>
      ))}
    </nav>
  );
}
