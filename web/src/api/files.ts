import { Failure, UNREACHABLE } from './failure.ts';

const isReachable = () =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

const pageOf = (url: string) => new URL(url, location.href).href.split('#', 1)[0];

/**
 * Loads files for the page whose address is `targetOf()`. If the gateway was updated, the files of this version are gone: the
 * browser then loads that page anew, once, with the files of the new version.
 */
export async function loadFiles<T>(load: () => Promise<T>, targetOf: () => string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const target = targetOf();
    const open = async () => {
      if (await isReachable()) location.assign(target);
    };
    if (!(await isReachable())) throw new Failure('connection', UNREACHABLE, undefined, open);
    const isShown = pageOf(target) === pageOf(location.href);
    const [{ type }] = performance.getEntriesByType('navigation') as [PerformanceNavigationTiming];
    if (isShown && type === 'reload') throw error;
    if (isShown) location.reload();
    else location.assign(target);
    return await new Promise<never>(() => undefined);
  }
}
