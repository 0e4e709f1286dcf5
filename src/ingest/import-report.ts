import type { ImportCounts } from './importer/importer.ts';

export type RowFault = { file: string; place: string; field: string; msg: string };

const MAX_FAULTS = 1_000;

export type FileReport = ImportCounts & {
  file: string;
  rows: number;
  rejected: number;
  faults: RowFault[];
  faultCount: number;
  /** False for refused sources and dry runs. */
  loaded: boolean;
  passed: boolean;
  replaced: boolean;
};

export const emptyReport = (file: string): FileReport => ({
  ...{ file, rows: 0, rejected: 0, faults: [], faultCount: 0, inserted: 0, updated: 0, removed: 0 },
  ...{ loaded: false, passed: false, replaced: false },
});

export function addFault(report: FileReport, fault: RowFault) {
  report.faultCount += 1;
  if (report.faults.length < MAX_FAULTS) report.faults.push(fault);
}

export const placeNumber = ({ place }: RowFault) => Number(place.split(' ')[1]);
