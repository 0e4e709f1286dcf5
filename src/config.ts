import { isIP } from 'node:net';
import { z } from 'zod';
import { networks } from './chain/networks.ts';
import { withFile, withSecrets } from './config-file.ts';
import { databaseName } from './db/url.ts';
import { agesOf } from './ingest/retain/ages.ts';

const flag = (fallback: 'on' | 'off') =>
  z
    .enum(['on', 'off'], 'on or off is needed')
    .default(fallback)
    .transform((value) => value === 'on');

const integer = (fallback: number, min: number, max: number) => {
  const error = `an integer from ${min} to ${max} is needed`;
  return z
    .string()
    .regex(/^\d+$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error)
    .default(fallback);
};

const optionalInteger = (min: number, max: number) => integer(min, min, max).unwrap().optional();

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const perTier = (fallback: string, tiers: string) => {
  const form = new RegExp(`^(${tiers})=[1-9]\\d{0,14}$`);
  return z
    .string()
    .default(fallback)
    .transform(list)
    .refine(
      (items) => items.every((item) => form.test(item)),
      `comma-separated tier=number is needed, of ${tiers.split('|').join(', ')}`,
    );
};

export const PERCENT = 'with % in a password written as %25';
/** The URL, unless its user or password cannot be decoded. */
function readUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}
const urlOf = (scheme: RegExp, error: string) =>
  z.string().refine((text) => scheme.test(text) && readUrl(text) !== undefined, error);
function isHttpUrl(text: string): boolean {
  const url = readUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.hash;
}
const httpUrls = z
  .string()
  .transform(list)
  .refine((all) => all.length > 0 && all.every(isHttpUrl), `http:// or https:// URLs are needed, ${PERCENT}`)
  .transform((all) => all.map((url) => url.replace(/\/+$/, '')));
const httpUrl = z
  .string()
  .refine((text) => isHttpUrl(text), `an http:// or https:// URL is needed, ${PERCENT}`);
const protocol = z.enum(['http/protobuf', 'http/json'], 'http/protobuf or http/json is needed');
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const otlpHeaders = z
  .string()
  .refine(
    (text) => list(text).every((pair) => /^[\w.-]+\s*=([^%;]|%[\da-f]{2})+$/i.test(pair)),
    'name=value pairs, separated by commas, are needed, with values percent-encoded',
  );
const checkPostgresUrls = (urls: string[], addIssue: (message: string) => void) => {
  const names = new Set<string>();
  for (const url of urls) {
    try {
      const name = databaseName(url);
      if (names.has(name)) addIssue(`${name} is named twice; give each replica once`);
      names.add(name);
    } catch (error) {
      addIssue((error as Error).message);
    }
  }
};
const postgresUrl = z
  .string()
  .superRefine((url, { addIssue }) =>
    checkPostgresUrls([url], (message) => addIssue({ code: 'custom', message })),
  );
// Within a URL, a comma separates hosts, as in libpq.
const postgresUrls = z
  .string()
  .transform((text) => text.trim().split(/\s+(?=postgres(?:ql)?:\/\/)/))
  .superRefine((urls, { addIssue }) =>
    checkPostgresUrls(urls, (message) => addIssue({ code: 'custom', message })),
  );
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const sized = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(address) !== 0 && sized && rest.length === 0;
}

const isOrigin = (text: string): boolean =>
  text === '*' || (URL.canParse(text) && new URL(text).origin === text);
const headerName = /^[A-Za-z0-9-]+$/;

export const Settings = z.object({
  PORT: integer(4000, 0, 65535).describe('Port to listen on; 0 picks a free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  METRICS_PORT: optionalInteger(0, 65535).describe(
    'Port that serves only /metrics, on the same address; default: PORT serves it.',
  ),
  MAX_CONNECTIONS: integer(2_000, 1, 1_000_000).describe(
    'Maximum number of client connections; further ones are closed immediately.',
  ),
  MAX_STREAMS: integer(1_000, 0, 1_000_000).describe(
    'Maximum number of open GraphQL subscriptions; further ones get 503.',
  ),
  SEND_TIMEOUT_MS: integer(30_000, 100, 60_000).describe(
    'Time after which a connection is reset if its client reads less than 2 kB of the response a second.',
  ),
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL 15 or later, as a URL with the parameters of libpq (docs/database.md); without it an embedded one is used.',
    ),
  DATABASE_READ_URL: postgresUrls
    .optional()
    .describe(
      'Read replicas, as URLs separated by spaces or line breaks; while none can be used, DATABASE_URL is read.',
    ),
  DATABASE_POOL: integer(10, 1, 200).describe('Number of database connections for reading.'),
  STATEMENT_TIMEOUT_MS: integer(15_000, 100, 600_000).describe(
    'Time limit for a read statement; its connection is dropped two seconds later if it is still running.',
  ),
  WAIT_TIMEOUT_MS: integer(5_000, 100, 600_000).describe(
    'Time limit for a queued request, and then for its wait for a database connection; after that the response is 503.',
  ),
  PREPARED_STATEMENTS: flag('on').describe(
    'Prepare read statements; turn it off behind a pooler that does not support prepared statements, such as PgBouncer before 1.21.',
  ),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database and the development token.'),
  REDIS_URL: urlOf(/^rediss?:\/\//, `a redis:// or rediss:// URL is needed, ${PERCENT}`)
    .optional()
    .describe(
      'Redis through which all gateways share rates, allowances and how new their responses are; without it each gateway counts alone.',
    ),
  TIER_RATES: perTier('free=2,build=10,growth=50', 'free|build|growth|enterprise').describe(
    'Requests per second by tier, separated by commas; other tiers keep their defaults. The rate of starter is fixed.',
  ),
  TIER_UNITS: perTier('build=1000000,growth=4000000', 'build|growth|enterprise').describe(
    'Compute units per month by tier, separated by commas; other tiers keep their defaults. Those of free and starter are fixed.',
  ),
  MIGRATE: flag('on').describe('Apply missing migrations at startup.'),
  SAMPLE_DATA: flag('on').describe(
    'Load the sample data into a new embedded database; never with DATABASE_URL.',
  ),
  RETAIN: z
    .string()
    .transform(list)
    .transform((items, context) => {
      const ages = agesOf(items);
      if (typeof ages !== 'string') return ages;
      context.addIssue({ code: 'custom', message: ages });
      return z.NEVER;
    })
    .optional()
    .describe(
      'Days of facts that `stakegraph retain` keeps, like validator-days=400d,sync-committee-rewards=90d; without it, and without the options of the command, nothing is dropped (docs/data-model.md).',
    ),
  BEACON_URL: httpUrls
    .optional()
    .describe(
      'Beacon nodes of `stakegraph index`, separated by commas; the next is asked when one fails (docs/index-from-your-node.md).',
    ),
  EXECUTION_URL: httpUrls
    .refine((all) => all.length === 1, 'one URL is needed')
    .transform(([url]) => url as string)
    .optional()
    .describe('Execution node of the index, for priority fees, MEV payments and deposit addresses.'),
  RELAY_URLS: z
    .string()
    .transform(list)
    .refine(
      (all) => all.length > 0 && all.every((relay) => isHttpUrl(relay.replace(/^[^=/:]+=/, ''))),
      `http:// or https:// URLs, or name=URL, are needed, ${PERCENT}`,
    )
    .optional()
    .describe('Relays of the index, as URL or name=URL, separated by commas, for MEV values.'),
  INDEX: flag('off').describe(
    'Index the network of BEACON_URL in the process of the gateway, like `stakegraph serve --index URL`; an embedded database then gets no sample data.',
  ),
  INDEX_FROM: z
    .string()
    .optional()
    .describe(
      'Where an index begins in a database without one: an epoch, a date or head; default: the start of the present chain day.',
    ),
  INDEX_LABELS: z
    .string()
    .optional()
    .describe('File of rules that name the operators of validators (docs/index-from-your-node.md).'),
  INDEX_NETWORK: z
    .enum(networks)
    .optional()
    .describe('Network of the index; nodes of another one are refused. Default: the network of the nodes.'),
  INDEX_RATE: optionalInteger(1, 100_000).describe(
    'Maximum requests per second of the index to a beacon node; default: no limit.',
  ),
  INDEX_ESTIMATE_MISSED: flag('off').describe(
    'Estimate rewards of a missed block as the mean of the proposed blocks of its epoch.',
  ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'an http:// or https:// URL is needed' })
    .refine((url) => !/[?#]/.test(url), 'a URL without query or fragment is needed')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Base of absolute links; default: the scheme and host of the request.'),
  TRUST_PROXY: z
    .string()
    .transform(list)
    .refine((all) => all.every(isNetwork), 'IP addresses or networks like 10.0.0.0/8 are needed')
    .optional()
    .describe('Addresses or networks of proxies whose forwarded headers are trusted, separated by commas.'),
  NETWORK_HEADERS: z
    .string()
    .default('X-Service-Network')
    .transform(list)
    .refine(
      (names) => names.length > 0 && names.every((name) => headerName.test(name)),
      'header names are needed',
    )
    .describe('Names of the network header, separated by commas; the first is the documented one.'),
  CORS_ORIGINS: z
    .string()
    .default('*')
    .transform(list)
    .refine((all) => all.every(isOrigin), '* or origins like https://app.example.org are needed')
    .describe(
      'Origins whose pages may call the API, separated by commas; * allows all, since requests carry a token and never a cookie.',
    ),
  TRUSTED_DOCUMENTS: z
    .string()
    .optional()
    .describe(
      'JSON file of the GraphQL documents that clients request by id, as Relay, Apollo or GraphQL-Codegen write it; read at startup.',
    ),
  TRUSTED_ONLY: flag('off').describe(
    'Refuse every GraphQL document that is not in TRUSTED_DOCUMENTS, introspection included.',
  ),
  EXPLORER: flag('on').describe('Serve the explorer at / and below /explore; without it, / lists the paths.'),
  CACHE: flag('on').describe('Cache responses in memory until their data changes.'),
  CACHE_MB: integer(64, 1, 65_536).describe('Maximum memory for cached responses, in megabytes.'),
  DRAIN_DELAY_MS: integer(0, 0, 60_000).describe(
    'Time between "not ready" and closing the port after SIGTERM, in which load balancers notice.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'Collector of OpenTelemetry to which traces are sent, at /v1/traces below it; default: no tracing.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('Full URL for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders
    .optional()
    .describe(
      'Headers of requests to the collector, such as its key, as name=value, separated by commas; values are percent-encoded.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: otlpHeaders
    .optional()
    .describe('Headers for traces, besides OTEL_EXPORTER_OTLP_HEADERS, over which they have precedence.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf').describe('http/protobuf or http/json.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol
    .optional()
    .describe('Protocol for traces, instead of OTEL_EXPORTER_OTLP_PROTOCOL.'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], 'otlp or none is needed')
    .default('otlp')
    .describe('none turns tracing off, whatever else is set.'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe(
      'Name of the service in traces; default: service.name of OTEL_RESOURCE_ATTRIBUTES, else stakegraph.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `one of ${samplers.join(', ')} is needed`)
    .default('parentbased_always_on')
    .describe(`Which requests are traced: ${samplers.join(', ')}.`),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => /^[\d.]+$/.test(text) && Number(text) <= 1, 'a ratio from 0 to 1 is needed')
    .default('1')
    .transform(Number)
    .describe('Ratio of traced requests, from 0 to 1, for the samplers with traceidratio.'),
  OTEL_BSP_SCHEDULE_DELAY: integer(5_000, 1, 600_000).describe(
    'Time between two exports of spans, in milliseconds.',
  ),
  OTEL_SDK_DISABLED: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false'], 'true or false is needed'))
    .default('false')
    .describe('true turns tracing off, whatever else is set.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'a pino level is needed')
    .default('info')
    .describe('fatal, error, warn, info, debug, trace or silent.'),
});
export type Settings = z.output<typeof Settings>;

export const sendsTraces = (settings: Settings): boolean =>
  settings.OTEL_SDK_DISABLED === 'false' &&
  settings.OTEL_TRACES_EXPORTER === 'otlp' &&
  Boolean(settings.OTEL_EXPORTER_OTLP_ENDPOINT || settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

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
