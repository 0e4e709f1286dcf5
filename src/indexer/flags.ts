import { InvalidArgumentError } from 'commander';
import { PERCENT, readSettings, type Settings, SettingsError } from '../config/index.ts';
import { type Boundary, boundaryOf, type From } from './range.ts';

export function parseFrom(text: string): From {
  const found = text === 'head' ? text : boundaryOf(text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError('An epoch, a date like 2025-10-30, or head is needed.');
}

export function parseTo(text: string): Boundary {
  const found = boundaryOf(text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError('An epoch or a date like 2025-10-30 is needed.');
}

export function fromSetting({ INDEX_FROM }: Settings): From | undefined {
  if (INDEX_FROM === undefined) return undefined;
  const found = INDEX_FROM === 'head' ? INDEX_FROM : boundaryOf(INDEX_FROM);
  if (found !== undefined) return found;
  throw new SettingsError(
    `INDEX_FROM is ${JSON.stringify(INDEX_FROM)}; an epoch, a date like 2025-10-30, or head is needed.`,
  );
}

/** Errors do not quote the URLs, which may contain passwords. */
export function urlsOf(
  setting: 'BEACON_URL' | 'EXECUTION_URL' | 'RELAY_URLS',
  option: string,
  text: string,
): string[] {
  try {
    return [readSettings({ [setting]: text })[setting] ?? []].flat();
  } catch {
    const urls = setting === 'EXECUTION_URL' ? 'an http:// or https:// URL' : 'http:// or https:// URLs';
    throw new SettingsError(`${option} needs ${urls}, ${PERCENT}.`);
  }
}
