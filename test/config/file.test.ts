import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { secretSettings } from '../../src/config/file.ts';
import { readSecret, readSettings, Settings, useConfigFile } from '../../src/config/index.ts';
import { stakegraph } from '../support/process.ts';
import { scratch } from '../support/scratch.ts';
import { slow } from '../support/thorough.ts';

const folder = mkdtempSync(join(scratch, 'stakegraph-config-'));
afterAll(() => rm(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};

describe('a secret in a file', () => {
  const urls: Record<string, string> = {
    DATABASE_URL: 'postgres://a:hunter2@h/d',
    DATABASE_READ_URL: 'postgres://a:hunter2@h/d',
    REDIS_URL: 'rediss://:hunter2@h',
    BEACON_URL: 'https://h/hunter2',
    EXECUTION_URL: 'https://h/hunter2',
    RELAY_URLS: 'a=https://h/hunter2',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://h/hunter2',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://h/hunter2',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=hunter2',
  };

  it('is possible for each setting that is a URL of a service, and for the headers of the collector', () => {
    const isSecret = /_URLS?$|_ENDPOINT$|OTLP_(TRACES_)?HEADERS$/;
    const names = Object.keys(Settings.shape).filter((name) => isSecret.test(name) && name !== 'PUBLIC_URL');
    expect([...secretSettings].sort()).toEqual(names.sort());
    expect(Object.keys(urls).sort()).toEqual(names.sort());
  });

  it.each(Object.entries(urls))('%s_FILE is read without the blanks around it', (name, url) => {
    for (const text of [url, `${url}\n`, `${url}\r\n`, `${url} \n\n`, `\ufeff${url}\n`, `\n  ${url}`]) {
      expect(readSettings({ [`${name}_FILE`]: file('secret', text) })).toEqual(readSettings({ [name]: url }));
    }
  });

  it('is refused by name when the setting is given too', () =>
    expect(
      refusal(() => readSettings({ REDIS_URL: 'redis://h', REDIS_URL_FILE: file('secret', 'redis://h') })),
    ).toBe('Invalid settings:\n  REDIS_URL and REDIS_URL_FILE are both set; leave one out.'));

  it('is refused by name and file when the file is absent, a folder or empty, and without a value that is no path', () => {
    const messages = [join(folder, 'none'), folder, file('empty', '\n'), 'postgres://me:hunter2@h/d'].map(
      (path) => refusal(() => readSettings({ DATABASE_URL_FILE: path })),
    );
    expect(messages).toEqual([
      `Invalid settings:\n  DATABASE_URL_FILE is "${folder}/none"; the file cannot be read: ENOENT.`,
      `Invalid settings:\n  DATABASE_URL_FILE is "${folder}"; the file cannot be read: EISDIR.`,
      `Invalid settings:\n  DATABASE_URL_FILE is "${folder}/empty"; the file is empty.`,
      'Invalid settings:\n  DATABASE_URL_FILE: the file cannot be read: ENOENT.',
    ]);
  });

  it('is refused without its content when its value is not valid', () =>
    expect(refusal(() => readSettings({ DATABASE_URL_FILE: file('secret', 'hunter2') }))).toBe(
      'Invalid settings:\n  DATABASE_URL: a postgres:// URL is needed',
    ));

  it('is refused when it is set, but empty', () =>
    expect(refusal(() => readSettings({ DATABASE_URL: '' }))).toBe(
      'Invalid settings:\n  DATABASE_URL is empty; unset it to use the embedded database.',
    ));

  it('may be the token of --token-env', () => {
    const path = file('secret', 'tok-en\n');
    expect(readSecret('TOKEN', 'token', { TOKEN_FILE: path })).toBe('tok-en');
    expect(refusal(() => readSecret('TOKEN', 'token', { TOKEN_FILE: path, TOKEN: 'x' }))).toBe(
      'TOKEN and TOKEN_FILE are both set; leave one out.',
    );
    expect(
      refusal(() => readSecret('TOKEN', 'token', { TOKEN_FILE: file('secret', 'two words') })),
    ).not.toContain('words');
  });
});

describe('a file of settings', () => {
  const names = [
    ...Object.keys(Settings.shape),
    ...secretSettings.map((name) => `${name}_FILE`),
    'STAKEGRAPH_CONFIG',
  ];
  const kept = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const environment = (values: Record<string, string>) => {
    for (const name of names) delete process.env[name];
    Object.assign(process.env, values);
  };
  afterEach(() => {
    for (const name of names) delete process.env[name];
    for (const [name, value] of Object.entries(kept)) if (value !== undefined) process.env[name] = value;
  });
  const read = (text: string, values: Record<string, string> = {}) => {
    environment({ STAKEGRAPH_CONFIG: file('settings', text), ...values });
    return readSettings();
  };

  it('has a setting a line, as in the environment, with comments, blank lines and quotes', () => {
    const settings = read(`# ports\n\nPORT=4100\r\n  HOST="::1"\nDATA_DIR='/a #b'\nCORS_ORIGINS=\n`);
    expect(settings).toMatchObject({ PORT: 4100, HOST: '::1', DATA_DIR: '/a #b', CORS_ORIGINS: ['*'] });
  });

  it('yields to the environment, but not to an empty variable', () => {
    expect(read('PORT=4100\nHOST=::1', { PORT: '4200', HOST: '' })).toMatchObject({
      PORT: 4200,
      HOST: '::1',
    });
    const secret = file('secret', 'redis://of-file');
    const both = 'REDIS_URL=redis://of-settings';
    expect(read(both, { REDIS_URL_FILE: secret }).REDIS_URL).toBe('redis://of-file');
    expect(read(`REDIS_URL_FILE=${secret}`, { REDIS_URL: 'redis://own' }).REDIS_URL).toBe('redis://own');
    expect(read(`REDIS_URL_FILE=${secret}`).REDIS_URL).toBe('redis://of-file');
  });

  it('is refused with the nearest name for each unknown one, and by line without its text', () => {
    const text = 'DATABASE_URI=postgres://a:hunter2@h/d\nhunter2\nPORT=1\nport=2\nPORT=3\nHOST_FILE=x\n';
    expect(refusal(() => read(text))).toBe(
      [
        'Invalid settings:',
        `  ${folder}/settings, line 1: DATABASE_URI is not a setting; did you mean DATABASE_URL?`,
        `  ${folder}/settings, line 2: NAME=value is needed.`,
        `  ${folder}/settings, line 4: port is not a setting; did you mean PORT?`,
        `  ${folder}/settings, line 5: PORT is given twice.`,
        `  ${folder}/settings, line 6: HOST_FILE is not a setting.`,
      ].join('\n'),
    );
  });

  it('is refused without a name that may be a piece of a secret, and with the place of others', () => {
    const text = 'aHVudGVyMg9=\nHUNTER2=x\nNODE_ENV=production\nOTEL_RESOURCE_ATTRIBUTES=a=b\nCASH=on\n';
    expect(refusal(() => read(text))).toBe(
      [
        'Invalid settings:',
        `  ${folder}/settings, line 1: the text before = is not a setting.`,
        `  ${folder}/settings, line 2: HUNTER2 is not a setting.`,
        `  ${folder}/settings, line 3: NODE_ENV is read only from the environment.`,
        `  ${folder}/settings, line 4: OTEL_RESOURCE_ATTRIBUTES is read only from the environment.`,
        `  ${folder}/settings, line 5: CASH is not a setting; did you mean CACHE?`,
      ].join('\n'),
    );
  });

  it('is refused together with the other wrong settings', () =>
    expect(refusal(() => read('PORT=x', { CACHE: 'x', STAKEGRAPH_CONFIG: file('other', 'PORT=x') }))).toMatch(
      /PORT is "x".*\n.*CACHE is "x"/,
    ));

  it('is refused by name when it cannot be read', () => {
    environment({ STAKEGRAPH_CONFIG: join(folder, 'none') });
    expect(refusal(readSettings)).toContain(`"${folder}/none": the file cannot be read: ENOENT.`);
  });

  it('may be given as an option, which has precedence over STAKEGRAPH_CONFIG', () => {
    environment({ STAKEGRAPH_CONFIG: join(folder, 'none') });
    useConfigFile(file('chosen', 'PORT=4300'));
    try {
      expect(readSettings().PORT).toBe(4300);
    } finally {
      useConfigFile(undefined);
    }
  });

  slow('is an option of each command, and a wrong one ends a command with exit code 2', async () => {
    const path = file('wrong', 'PORT=x\n');
    for (const command of [['serve'], ['token', 'list']]) {
      const { code, stderr } = await stakegraph([...command, '--config', path]);
      expect(stderr).toBe(
        `stakegraph: Invalid settings:\n  PORT is "x"; an integer from 0 to 65535 is needed\n`,
      );
      expect(code).toBe(2);
    }
  });
});
