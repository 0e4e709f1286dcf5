import { z } from 'zod';
import { networks } from '../chain/networks.ts';
import { cleanPath } from '../kernel/base-path.ts';
import { agesOf } from './ages.ts';
import { themeColors } from './colors.ts';
import {
  EARLIEST_SAMPLE_END,
  flag,
  headerName,
  httpUrl,
  httpUrls,
  integer,
  isHttpUrl,
  isNetwork,
  isOrigin,
  list,
  optionalInteger,
  otlpHeaders,
  otlpProtocol,
  PERCENT,
  perTier,
  postgresUrl,
  postgresUrls,
  sampleDate,
  samplers,
  urlSetting,
} from './kinds.ts';

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
  ACCOUNT_STATEMENTS: optionalInteger(1, 200).describe(
    'Number of read statements of one account that run at a time on each server; default: a third of DATABASE_POOL, at least 2. Its others wait, each for at most WAIT_TIMEOUT_MS.',
  ),
  PREPARED_STATEMENTS: flag('on').describe(
    'Prepare read statements; turn it off behind a pooler that does not support prepared statements, such as PgBouncer before 1.21.',
  ),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database and the development token.'),
  REDIS_URL: urlSetting(/^rediss?:\/\//, `a redis:// or rediss:// URL is needed, ${PERCENT}`)
    .optional()
    .describe(
      'Redis through which all gateways share rates and allowances, and learn below which revision none may answer; without it each gateway counts alone.',
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
  SAMPLE_DATE: sampleDate
    .optional()
    .describe(
      `Last day of the sample data, from ${EARLIEST_SAMPLE_END} to yesterday, in UTC; default: the day before the first start.`,
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
      'Where an index begins in a database without one: an epoch, a date or head; default: the start of the present chain day. With head, it also begins anew at the head if no node has the states any more with which it would go on.',
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
    .refine(
      (url) => !URL.canParse(url) || ['/', cleanPath(new URL(url).pathname)].includes(new URL(url).pathname),
      'its path needs segments of letters, digits, -, ., _ and ~, of which the first is none of the gateway, such as v0 or docs',
    )
    .optional()
    .describe(
      'Where clients reach the gateway, such as https://example.org/stake: the base of all links; default: the scheme and host of the request.',
    ),
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
  EXPLORER_TITLE: z
    .string()
    .trim()
    .regex(/^\P{C}{1,40}$/u, '1 to 40 characters without line breaks are needed')
    .default('stakegraph')
    .describe('Name of the explorer, in its head and in the titles of its pages.'),
  EXPLORER_COLORS: themeColors
    .optional()
    .describe(
      'Colours of links and buttons in the explorer, of the light and the dark theme, like #3d4ed8,#9aa8ff; each needs a contrast of 4.5 to its background.',
    ),
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
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.default('http/protobuf').describe('http/protobuf or http/json.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol
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
