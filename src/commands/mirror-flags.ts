import { InvalidArgumentError } from 'commander';
import { SettingsError } from '../config/index.ts';
import { type RewardsNetwork, rewardsNetworks } from '../resources/network-rewards/record.ts';

/** Accepts only origin and base path, because other parts could contain a secret. */
export function baseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('An http:// or https:// URL is needed.');
  }
  if (url.username || url.password) {
    // not InvalidArgumentError, which would show the value
    throw new SettingsError(
      '--from needs a URL without user and password; --token-env names the variable that holds the token.',
    );
  }
  if (url.search || url.hash) throw new InvalidArgumentError('A URL without query or fragment is needed.');
  return url;
}

export const isInClear = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Errors do not quote the name, which may be the secret itself. */
export const variableName =
  (option: string, example: string) =>
  (text: string): string => {
    if (/^[A-Za-z_]\w{0,127}$/.test(text)) return text;
    throw new SettingsError(`${option} needs the name of an environment variable, like ${example}.`);
  };

export function headerName(text: string): string {
  if (/^[A-Za-z0-9-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('The name of a header is needed, like X-Service-Network.');
}

export function rate(text: string): number {
  const value = Number(text);
  if (/^\d{1,4}(\.\d{1,3})?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('A number over 0 and below 10000 is needed, like 2 or 0.5.');
}

export function validatorsFlag(
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
