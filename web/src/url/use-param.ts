import { useSearchParams } from 'react-router';
import { changed, newest, type Param } from './url-state.ts';

/** The value of a parameter, and a function that puts another into the URL. */
export function useParam<T>(of: Param<T>) {
  const [search, setSearch] = useSearchParams();
  const set = (value: T) =>
    setSearch(changed(newest(), { [of.name]: of.write(value) }), { preventScrollReset: true });
  return [of.read(search), set] as const;
}
