import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { count } from '../parts/format.ts';
import { store } from './store.ts';

/** What screen readers are told once a filter has changed the list of a page. */
export const announced = store({ pathname: '', text: '' });

let shown = { pathname: '', search: '', total: 0 };

/** Announces how many rows there are when search parameters have changed that. */
export function useAnnounced(total: number | undefined) {
  const { pathname, search } = useLocation();
  useEffect(() => {
    if (total === undefined) return;
    if (shown.pathname !== pathname) announced.set({ pathname, text: '' });
    else if (shown.search !== search && shown.total !== total)
      announced.set({ pathname, text: `${count(total)} in all` });
    shown = { pathname, search, total };
  }, [total, pathname, search]);
}
