import type { MirrorResource } from './options.ts';

export type Tally = {
  resource: MirrorResource;
  lists: number;
  done: number;
  passed: number;
  /** Lists to which the service responded with 404. */
  absent: number;
  failed: number;
  rows: number;
  inserted: number;
  updated: number;
  removed: number;
  requests: number;
  computeUnits: number | null;
};

export type RoundReport = {
  source: string;
  run: number;
  round: number;
  resumed: boolean;
  startedAt: string;
  endedAt: string;
  complete: boolean;
  ended: string | null;
  resources: Tally[];
  failures: { resource: MirrorResource; network: string | null; list: string; error: string }[];
};

export const emptyTally = (resource: MirrorResource): Tally => ({
  ...{ resource, lists: 0, done: 0, passed: 0, absent: 0, failed: 0 },
  ...{ rows: 0, inserted: 0, updated: 0, removed: 0, requests: 0, computeUnits: null },
});

const countNames = {
  done: 'done',
  passed: 'copied by the interrupted run',
  absent: 'absent',
  failed: 'failed',
} as const;
const number = (value: number) => value.toLocaleString('en');
const requestsText = (count: number) => `${number(count)} request${count === 1 ? '' : 's'}`;

export function describeRound({ resources, failures, ...report }: RoundReport): string {
  const lines = resources.map((tally) => {
    const names = Object.keys(countNames) as (keyof typeof countNames)[];
    const counted = names.filter((name) => tally[name] > 0);
    const lists =
      counted.map((name) => `${number(tally[name])} ${countNames[name]}`).join(', ') || 'no lists';
    const { rows, inserted, updated, removed, requests, computeUnits } = tally;
    const units = computeUnits === null ? '' : `, ${number(computeUnits)} compute units`;
    const changes = `${number(inserted)} new, ${number(updated)} updated, ${number(removed)} removed`;
    return `${tally.resource}: ${lists}; ${number(rows)} rows (${changes}); ${requestsText(requests)}${units}`;
  });
  const requests = resources.reduce((sum, tally) => sum + tally.requests, 0);
  const withUnits = resources.filter(({ computeUnits }) => computeUnits !== null);
  const units = withUnits.reduce((sum, { computeUnits }) => sum + (computeUnits ?? 0), 0);
  const before = resources.some(({ passed }) => passed > 0);
  const outcome = report.complete
    ? `every list is mirrored${before ? ', some of them by the interrupted run' : ''}`
    : [
        failures.length > 0
          ? `${number(failures.length)} list${failures.length === 1 ? '' : 's'} failed`
          : '',
        report.ended,
      ]
        .filter(Boolean)
        .join('; ');
  const cost = withUnits.length > 0 ? `, ${number(units)} compute units` : '';
  return [...lines, `${report.source}: ${outcome}; ${requestsText(requests)}${cost}`].join('\n');
}
