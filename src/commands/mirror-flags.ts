import { InvalidArgumentError, Option } from 'commander';
import { SettingsError } from '../config.ts';
import { type RewardsNetwork, rewardsNetworks } from '../resources/network-rewards/record.ts';

/** The address of a service: origin and base path, nothing that could hold a secret. */
export function baseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('An http:// or https:// URL is needed.');
  }
  if (url.username || url.password) {
    // not an InvalidArgumentError, which is shown with what was given
    throw new SettingsError(
      '--from needs a URL without user and password; the token is given by --token-env.',
    );
  }
  if (url.search || url.hash) throw new InvalidArgumentError('A URL without query or fragment is needed.');
  return url;
}

/** Whether what is sent there can be read on the way: not over TLS, and not on this machine alone. */
export const isInClear = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** The name of an environment variable. What is none may be the token itself, and is not shown. */
export function variableName(text: string): string {
  if (/^[A-Za-z_]\w{0,127}$/.test(text)) return text;
  throw new SettingsError('--token-env needs the name of an environment variable, like UPSTREAM_TOKEN.');
}

export function headerName(text: string): string {
  if (/^[A-Za-z0-9-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('The name of a header is needed, like X-Service-Network.');
}

/** An option for some of these names, by comma. */
export const namesOption = <Name extends string>(
  flags: string,
  description: string,
  names: readonly Name[],
  fallback?: readonly Name[],
): Option => {
  const option = new Option(flags, description).argParser(listOf(names));
  return fallback ? option.default(fallback, fallback.join(',')) : option;
};

/** Some of these names, by comma, in their own order. */
const listOf =
  <Name extends string>(names: readonly Name[]) =>
  (text: string): Name[] => {
    const given = text.split(',').map((name) => name.trim());
    const unknown = given.find((name) => !(names as readonly string[]).includes(name));
    if (unknown === undefined) return names.filter((name) => given.includes(name));
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is none of ${names.join(', ')}.`);
  };

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`An integer from ${least} to ${most} is needed.`);
  };

export function rate(text: string): number {
  const value = Number(text);
  if (/^\d{1,4}(\.\d{1,3})?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('A number over 0 and below 10000 is needed, like 2 or 0.5.');
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const LONGEST = 7 * 86_400;

/** Milliseconds of a time like `90s`, `15m`, `1h` or `1d`. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (seconds >= 1 && seconds <= LONGEST) return seconds * 1000;
  throw new InvalidArgumentError('A time from 1s to 7d is needed, like 90s, 15m, 1h or 1d.');
}

/** `solana=VOTE1,VOTE2` beside those given before. */
export function validatorsOf(
  text: string,
  before: { network: RewardsNetwork; id: string }[] = [],
): { network: RewardsNetwork; id: string }[] {
  const [, name = '', ids = ''] = /^(\w+)=(.+)$/.exec(text) ?? [];
  const network = rewardsNetworks.find((known) => known === name);
  if (!network) {
    throw new InvalidArgumentError(
      `NETWORK=ID,… is needed, and NETWORK is one of ${rewardsNetworks.join(', ')}.`,
    );
  }
  return [
    ...before,
    ...ids
      .split(',')
      .filter((id) => id.trim() !== '')
      .map((id) => ({ network, id: id.trim() })),
  ];
}
