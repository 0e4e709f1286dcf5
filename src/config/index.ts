import { withFile, withSecrets } from './file.ts';
import { Settings } from './settings.ts';

export { PERCENT } from './kinds.ts';
export { Settings } from './settings.ts';

export const sendsTraces = (settings: Settings): boolean =>
  settings.OTEL_SDK_DISABLED === 'false' &&
  settings.OTEL_TRACES_EXPORTER === 'otlp' &&
  Boolean(settings.OTEL_EXPORTER_OTLP_ENDPOINT || settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

export const statementsOfAccount = ({ ACCOUNT_STATEMENTS, DATABASE_POOL }: Settings): number =>
  ACCOUNT_STATEMENTS ?? Math.max(2, Math.floor(DATABASE_POOL / 3));

let configFile: string | undefined;

/** Takes precedence over STAKEGRAPH_CONFIG. */
export const useConfigFile = (path: string | undefined): void => void (configFile = path);

/** Treats empty variables as unset, except DATABASE_URL. Throws one SettingsError with all faults. */
export function readSettings(environment?: NodeJS.ProcessEnv): Settings {
  const path = environment ? undefined : (configFile ?? (process.env.STAKEGRAPH_CONFIG || undefined));
  const own = environment ?? process.env;
  const merged =
    path !== undefined ? withFile(own, path, Object.keys(Settings.shape)) : { given: own, faults: [] };
  const { given: all, faults: ofSecrets } = withSecrets(merged.given);
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const read = Settings.safeParse(given);
  const faults = [...merged.faults, ...ofSecrets];
  // As an unset one, it would mean the embedded database with sample data.
  if (all.DATABASE_URL === '') faults.push('DATABASE_URL is empty; unset it to use the embedded database.');
  if (read.success && faults.length === 0) return read.data;
  for (const issue of read.error?.issues ?? []) {
    const name = String(issue.path[0]);
    // A URL may contain a password.
    const value = /_(URLS?|ENDPOINT)$|OTLP_(TRACES_)?HEADERS$/.test(name)
      ? ':'
      : ` is ${JSON.stringify(given[name])};`;
    faults.push(`${name}${value} ${issue.message}`);
  }
  throw new SettingsError(`Invalid settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

/**
 * Reads the variable `name`, or the file that `name`_FILE names. Throws a SettingsError that does not show the value.
 */
export function readSecret(
  name: string,
  what: 'token' | 'database URL',
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const { given, faults } = withSecrets(environment, [name]);
  if (faults[0]) throw new SettingsError(faults[0]);
  const secret = given[name];
  // An invalid name is not shown, because the user may have given the secret instead.
  const named = /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
  const shown = named ? `The environment variable ${name}` : 'The named environment variable';
  if (!secret) throw new SettingsError(`${shown} is not set; it must hold the ${what}.`);
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new SettingsError(`${shown} contains blanks or other characters that no ${what} has.`);
}

export const sudoUser = (): string | undefined => process.env.SUDO_USER || undefined;

export class SettingsError extends Error {}
