import { useEffect } from 'react';
import { useRefresh } from '../page.tsx';
import { calendarDate, percentage } from './format.ts';

const AGAIN_MS = 15_000;

/** Tells, until all days of a set are summed up, from when its figures are. */
export function SetProgress({ of }: { of: { completeFrom: string; share: number } | null | undefined }) {
  const refresh = useRefresh();
  useEffect(() => {
    if (!of) return undefined;
    const timer = setInterval(() => void refresh({ once: true }), AGAIN_MS);
    return () => clearInterval(timer);
  }, [of, refresh]);
  if (!of) return null;
  return (
    <p className="about" role="status">
      Days before {calendarDate(of.completeFrom)} follow as they are summed up:{' '}
      {percentage(Math.floor(of.share * 100), 0)} of the days of its validators are.
    </p>
  );
}
