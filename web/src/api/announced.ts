import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { count } from '../parts/format.ts';
import { store } from './store.ts';

/** What screen readers are told once a filter has changed the list of a page. */
export const announced = store({ pathname: '', text: '' });

let shown = { pathname: '', search: '' };

/** Announces how many rows there are when the search parameters of the page have changed. */
export function useAnnounced(total: number | undefined) {
  const { pathname, search } = useLocation();
  useEffect(() => {
    if (total === undefined) return;
    const isChanged = shown.pathname === pathname && shown.search !== search;
    if (isChanged) announced.set({ pathname, text: `${count(total)} in all` });
    else if (shown.pathname !== pathname) announced.set({ pathname, text: '' });
    shown = { pathname, search };
  }, [total, pathname, search]);
}
