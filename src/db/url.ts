import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/** Where a server listens: a host name, an address, or the folder of a Unix socket. */
export type Server = { host: string; port: number };

const sessionAttrs = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

/** A database URL with the meaning that libpq gives it. */
export type DatabaseUrl = {
  /** At least one, in the order in which they are tried. */
  servers: Server[];
  /** Which of the servers is connected to: `target_session_attrs`. */
  attrs: (typeof sessionAttrs)[number];
  /** Whether TLS is used over TCP, in the order in which it is tried. Unix sockets never use it. */
  tls: boolean[];
  /** Everything but the server; `ssl` is how TLS is used where it is. */
  config: pg.ClientConfig;
};

/** Parameters that are passed to pg unchanged. */
const passed = [
  'application_name',
  'fallback_application_name',
  'options',
  'client_encoding',
  'sslnegotiation',
];
const files = ['sslrootcert', 'sslcert', 'sslkey'];
/** Parameters that this module interprets. */
const own = [
  ...['user', 'password', 'dbname', 'host', 'port', 'sslmode', 'target_session_attrs'],
  ...['connect_timeout', 'channel_binding'],
];
const known = [...own, ...files, ...passed];

/**
 * Reads a `postgres://` URL as libpq does: several hosts by comma, hosts that are folders of Unix sockets, parameters of
 * the same names and meanings. Throws an error that says what is wrong and never has the password. Unknown parameters are
 * refused: ignoring one could mean ignoring a demand for encryption.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, login = '', hosts = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ??
    refuse('a postgres:// URL is needed');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      refuse(`the parameter ${name.slice(0, 64)} is not known; those known are ${known.join(', ')}`);
    if (parameters.getAll(name).length > 1) refuse(`the parameter ${name} is given twice`);
  }
  const attrs = oneOf(sessionAttrs, 'target_session_attrs', parameters) ?? 'any';
  const mode = oneOf(sslModes, 'sslmode', parameters) ?? 'prefer';
  if (parameters.get('channel_binding') === 'require')
    refuse(
      'channel_binding=require is not supported; use prefer, and sslmode=verify-full for a server that proves who it is',
    );
  const binding = oneOf(['disable', 'prefer'], 'channel_binding', parameters);
  const timeout = parameters.get('connect_timeout');
  if (timeout !== null && !/^[1-9]\d{0,3}$/.test(timeout))
    refuse('connect_timeout is a number of seconds from 1 to 9999');
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
  return values.find((value) => value === given) ?? refuse(`${name} is one of ${values.join(', ')}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('a percent sign is not encoded; write it as %25');
  }
}

const DEFAULT_PORT = 5432;

/** `a,b:5433,[::1]:5434`, with ports of the `port` parameter where there is one: one for all, or one for each. */
function serversOf(hosts: string, parameters: URLSearchParams): Server[] {
  const list = hosts.split(',').map((item) => {
    const [, host = '', port] =
      /^(\[[\da-f:.]+\]|[^:[\]]*)(?::(\d*))?$/i.exec(item) ??
      refuse('a host is not valid; several are separated by commas');
    return { host: decoded(host.replace(/^\[|\]$/g, '')) || 'localhost', port };
  });
  const ports = parameters.get('port')?.split(',');
  if (ports && ports.length > 1 && ports.length !== list.length)
    refuse('the number of ports is not that of hosts; give one port for each host, or one for all');
  return list.map(({ host, port }, index) => ({ host, port: portOf(port || ports?.[index] || ports?.[0]) }));
}

function portOf(text: string | undefined): number {
  const port = text ? Number(text) : DEFAULT_PORT;
  return Number.isInteger(port) && port >= 1 && port <= 65_535
    ? port
    : refuse('a port is a number from 1 to 65535');
}

function credentials(login: string, parameters: URLSearchParams) {
  const colon = login.indexOf(':');
  const user = parameters.get('user') ?? decoded(colon < 0 ? login : login.slice(0, colon));
  const password = parameters.get('password') ?? (colon < 0 ? '' : decoded(login.slice(colon + 1)));
  return { ...(user !== '' && { user }), ...(password !== '' && { password }) };
}

/** As in libpq, `prefer` falls back to no TLS when the server has none, and `allow` falls back to TLS when it insists. */
function attemptsOf(mode: SslMode): boolean[] {
  if (mode === 'disable') return [false];
  if (mode === 'prefer') return [true, false];
  return mode === 'allow' ? [false, true] : [true];
}

/** TLS and the parameters of pg itself, parsed by pg's own parser with the meanings of libpq. */
function pgConfig(mode: SslMode, parameters: URLSearchParams): pg.ClientConfig {
  const given = new URLSearchParams();
  for (const name of [...files, ...passed]) {
    const value = parameters.get(name);
    if (value !== null) given.set(name, value);
  }
  if (given.get('sslrootcert') === 'system') {
    if (mode !== 'verify-full') refuse('sslrootcert=system needs sslmode=verify-full');
    given.delete('sslrootcert'); // the authorities that Node trusts
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
