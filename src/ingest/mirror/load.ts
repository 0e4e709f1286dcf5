import { type Pool, transaction } from '../../db/pool.ts';
import { importSource } from '../import-file.ts';
import type { FileReport } from '../import-report.ts';
import type { ImportCounts } from '../importer/importer.ts';
import { importerOf } from '../importers/index.ts';
import { ChangedError, UpstreamError } from './failure.ts';
import { type Form, type MirrorList, networkOfList } from './list.ts';
import { backoffMs, pause } from './retry.ts';
import { openSpool, type Spool } from './spool.ts';
import { noteDone, type Run } from './state.ts';
import type { Upstream } from './upstream.ts';
import { walk } from './walk.ts';

export type Loading = {
  db: Pool;
  upstream: Upstream;
  run: Run;
  stop: AbortSignal;
  options: { firstBackoffMs: number; replace: boolean };
  say: (message: string) => void;
};

export type Loaded = ImportCounts & { rows: number; absent: boolean };

const MAX_WALKS = 5;
const MAX_FAULTS_REPORTED = 5;

export const titleOf = (list: MirrorList): string =>
  [list.resource, networkOfList(list), list.name].filter(Boolean).join(' ');

export async function loadList(loading: Loading, list: MirrorList): Promise<Loaded> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadOnce(loading, list);
    } catch (error) {
      if (!(error instanceof ChangedError)) throw error;
      if (attempt >= MAX_WALKS) {
        const advice = 'nothing loaded; run again when the service is not being refreshed';
        throw new UpstreamError(`${error.message}: it changed during ${attempt} reads in a row; ${advice}.`);
      }
      loading.say(`${error.message}: it changed while it was read; starting again`);
      await pause(backoffMs(loading.options.firstBackoffMs, attempt), loading.stop);
    }
  }
}

async function loadOnce(loading: Loading, list: MirrorList): Promise<Loaded> {
  for (const [index, form] of list.forms.entries()) {
    const spool = await openSpool(
      list.position && 'field' in list.position ? list.position.field : undefined,
    );
    try {
      const completed = await readInto(spool, loading, list, form);
      return { ...(await loadSpool(loading, list, spool, completed)), absent: false };
    } catch (error) {
      const absent = error instanceof UpstreamError && error.status === 404 && spool.pages() === 0;
      if (!absent) throw error;
      if (index + 1 < list.forms.length) continue;
      if (!list.mayBeAbsent) throw error;
      await transaction(loading.db, (client) =>
        noteDone(client, loading.run, list, { rows: 0, position: pointOf(list, 0) }),
      );
    } finally {
      await spool.close();
    }
  }
  return { inserted: 0, updated: 0, removed: 0, rows: 0, absent: true };
}

function pointOf({ position }: MirrorList, rows: number): string | undefined {
  if (!position || 'field' in position) return undefined;
  return position.ifAny && rows === 0 ? undefined : position.at();
}

async function readInto(spool: Spool, { upstream }: Loading, list: MirrorList, form: Form) {
  for await (const page of walk(upstream, list, form)) await spool.add(page);
  return list.completed?.(spool.values);
}

function loadSpool(
  { db, run, options }: Loading,
  list: MirrorList,
  spool: Spool,
  completed: ((row: unknown) => unknown) | undefined,
) {
  return transaction(db, async (client) => {
    const source = spool.source(titleOf(list), completed);
    const report = await importSource(client, importerOf(list.resource), source, {
      ...{ network: 'mainnet', ...list.rows },
      ...{ replace: list.replaces !== undefined, whole: list.replaces?.whole },
      ...{ overIndex: options.replace, origin: 'mirror', anyKeys: true },
    });
    if (!report.loaded) throw rowsRefused(report, spool);
    await noteDone(client, run, list, {
      rows: report.rows,
      position: pointOf(list, report.rows) ?? spool.last(),
    });
    const { rows, inserted, updated, removed } = report;
    return { rows, inserted, updated, removed };
  });
}

function rowsRefused({ faults, faultCount }: FileReport, spool: Spool): Error {
  const lines = faults.slice(0, MAX_FAULTS_REPORTED).map(({ place, field, msg }) => {
    const { page, row } = spool.placeOf(Number(place.split(' ')[1]));
    return `${page}, row ${row}, ${field}: ${msg}`;
  });
  if (faultCount > lines.length) lines.push(`and ${faultCount - lines.length} more faults`);
  const message = `nothing loaded, because rows are invalid:\n  ${lines.join('\n  ')}`;
  // If repeated rows are the only faults, the list changed while it was read.
  const moved = faults.length === faultCount && faults.every(({ msg }) => /^repeats row \d+$/.test(msg));
  return moved ? new ChangedError(message) : new UpstreamError(message);
}
