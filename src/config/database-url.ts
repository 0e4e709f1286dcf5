import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

export type Server = { host: string; port: number };

const sessionAttrs = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

export type DatabaseUrl = {
  /** In order of preference; not empty. */
  servers: Server[];
  attrs: (typeof sessionAttrs)[number];
  /** Attempts to connect, in this order. True means TLS. */
  tls: boolean[];
  config: pg.ClientConfig;
};

const passed = [
  'application_name',
  'fallback_application_name',
  'options',
  'client_encoding',
  'sslnegotiation',
];
const files = ['sslrootcert', 'sslcert', 'sslkey'];
const interpreted = [
  ...['user', 'password', 'dbname', 'host', 'port', 'sslmode', 'target_session_attrs'],
  ...['connect_timeout', 'channel_binding'],
];
const known = [...interpreted, ...files, ...passed];

/**
 * Parses like libpq. Errors omit the password. Refuses unknown parameters, because an ignored one could demand
 * encryption.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, login = '', hosts = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ??
    refuse(
      /^postgres(ql)?:\/\/.*#/.test(text)
        ? 'the URL has a #, which is written as %23 in a user name or password'
        : 'a postgres:// URL is needed',
    );
  // What follows may be a part of a password, or another URL with its password.
  if (/@|:\/\/|^\/\//.test(hosts + path))
    refuse(
      'one URL is needed, in which @ and / in a user name or password are written as %40 and %2F; separate several URLs of DATABASE_READ_URL by spaces',
    );
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B')); // libpq does not read `+` as a space
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      refuse(`the parameter ${name.slice(0, 64)} is unknown; accepted parameters are ${known.join(', ')}`);
    if (parameters.getAll(name).length > 1) refuse(`the parameter ${name} is given twice`);
  }
  const attrs = oneOf(sessionAttrs, 'target_session_attrs', parameters) ?? 'any';
  const mode = oneOf(sslModes, 'sslmode', parameters) ?? 'prefer';
  if (parameters.get('channel_binding') === 'require')
    refuse(
      'channel_binding=require is not supported; use prefer, and sslmode=verify-full to verify the server',
    );
  const binding = oneOf(['disable', 'prefer'], 'channel_binding', parameters);
  const timeout = parameters.get('connect_timeout');
  if (timeout !== null && !/^[1-9]\d{0,3}$/.test(timeout))
    refuse('connect_timeout must be a number of seconds from 1 to 9999');
  const database = parameters.get('dbname') ?? decoded(path.slice(1));
  return {
    servers: serversOf(parameters.get('host') ?? hosts, parameters),
    attrs,
    tls: attemptsOf(mode),
    config: {
      ...credentials(login, parameters),
      ...(database !== '' && { database }),
      ...(timeout !== null && { connectionTimeoutMillis: Number(timeout) * 1_000 }),
      ...(binding && { enableChannelBinding: binding !== 'disable' }),
      ...pgConfig(mode, parameters),
    },
  };
}

/** Names the servers and the database, without user and password. Throws like `parseDatabaseUrl`. */
export function databaseName(url: string): string {
  const { servers, config } = parseDatabaseUrl(url);
  return `${servers.map(({ host, port }) => `${host}:${port}`).join(',')}/${config.database ?? ''}`;
}

function refuse(why: string): never {
  throw new Error(why);
}

function oneOf<T extends string>(
  values: readonly T[],
  name: string,
  parameters: URLSearchParams,
): T | undefined {
  const given = parameters.get(name);
  if (given === null) return undefined;
  return values.find((value) => value === given) ?? refuse(`${name} must be one of ${values.join(', ')}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('a percent sign is not encoded; write it as %25');
  }
}

const DEFAULT_PORT = 5432;

/** `hosts` is like `a,b:5433,[::1]:5434`. `port` has one port for each host or for all. */
function serversOf(hosts: string, parameters: URLSearchParams): Server[] {
  const list = hosts.split(',').map((item) => {
    const [, host = '', port] =
      /^(\[[\da-f:.]+\]|[^:[\]]*)(?::(\d*))?$/i.exec(item) ??
      refuse('a host is not valid; separate several hosts by commas');
    return { host: decoded(host.replace(/^\[|\]$/g, '')) || 'localhost', port };
  });
  const ports = parameters.get('port')?.split(',');
  if (ports && ports.length > 1 && ports.length !== list.length)
    refuse(
      'the number of ports differs from the number of hosts; give one port for each host, or one for all',
    );
  return list.map(({ host, port }, index) => ({ host, port: portOf(port || ports?.[index] || ports?.[0]) }));
}

function portOf(text: string | undefined): number {
  const port = text ? Number(text) : DEFAULT_PORT;
  return Number.isInteger(port) && port >= 1 && port <= 65_535
    ? port
    : refuse('a port must be a number from 1 to 65535');
}

function credentials(login: string, parameters: URLSearchParams) {
  const colon = login.indexOf(':');
  const user = parameters.get('user') ?? decoded(colon < 0 ? login : login.slice(0, colon));
  const password = parameters.get('password') ?? (colon < 0 ? '' : decoded(login.slice(colon + 1)));
  return { ...(user !== '' && { user }), ...(password !== '' && { password }) };
}

function attemptsOf(mode: SslMode): boolean[] {
  if (mode === 'disable') return [false];
  if (mode === 'prefer') return [true, false];
  return mode === 'allow' ? [false, true] : [true];
}

function pgConfig(mode: SslMode, parameters: URLSearchParams): pg.ClientConfig {
  const given = new URLSearchParams();
  for (const name of [...files, ...passed]) {
    const value = parameters.get(name);
    if (value !== null) given.set(name, value);
  }
  if (given.get('sslrootcert') === 'system') {
    if (mode !== 'verify-full') refuse('sslrootcert=system needs sslmode=verify-full');
    given.delete('sslrootcert');
  } else if (mode === 'verify-ca' && !given.has('sslrootcert')) {
    refuse('sslmode=verify-ca needs sslrootcert, the file of the authority that signed the certificate');
  }
  if (mode !== 'disable') given.set('sslmode', mode === 'allow' ? 'prefer' : mode);
  try {
    const {
      host: _,
      port: __,
      user: ___,
      password: ____,
      database: _____,
      ...config
    } = toClientConfig(parse(`postgres://localhost?${given}`, { useLibpqCompat: true }));
    return config;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code) return refuse(`the file ${path} cannot be read: ${code}`);
    throw error;
  }
}
