import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secretSettings, withFile } from '../../src/config/file.ts';
import { Settings } from '../../src/config/index.ts';
import { project, stakegraphOfEach } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

const folder = join(project, 'deploy/systemd');
const names = readdirSync(folder);
const services = names.filter((name) => name.endsWith('.service'));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const valuesOf = (name: string, key: string) =>
  [...read(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value as string);
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const [, version] = /^systemd (\d+)/.exec(analyze('--version').stdout ?? '') ?? [];
const analyzes = version !== undefined;
/** Other versions check other things, and `--offline` exists since version 250. */
const assesses = version === '252';

describe('the systemd units', () => {
  it('are the gateway and the index, and a timer for each command that ends', () => {
    const oneshot = services.filter((name) => valuesOf(name, 'Type')[0] === 'oneshot');
    expect(oneshot.sort()).toEqual(
      ['backup', 'mirror', 'refresh', 'repack', 'retain'].map((name) => `stakegraph-${name}.service`),
    );
    expect(names.filter((name) => name.endsWith('.timer')).sort()).toEqual(
      oneshot.map((name) => name.replace('.service', '.timer')),
    );
    for (const name of oneshot) expect(valuesOf(name, 'TimeoutStartSec')).toEqual(['1d']);
    const lasting = services.filter((name) => !oneshot.includes(name));
    expect(lasting.sort()).toEqual(['stakegraph-index.service', 'stakegraph.service']);
    for (const name of lasting) {
      expect(valuesOf(name, 'Restart')).toEqual(['on-failure']);
      expect(valuesOf(name, 'RestartPreventExitStatus')).toEqual(['2']);
    }
  });

  describe.skipIf(!analyzes)('by systemd-analyze (which is in the Debian package systemd)', () => {
    it('are accepted without a warning', () => {
      const copies = mkdtempSync(join(tmpdir(), 'stakegraph-units-'));
      onTestFinished(() => rmSync(copies, { recursive: true }));
      // The package is not installed where the tests run.
      for (const name of names)
        writeFileSync(join(copies, name), read(name).replace('/usr/bin/stakegraph', '/bin/true'));
      const paths = names.map((name) => join(copies, name));
      const { stdout, stderr, status } = analyze('verify', '--man=no', ...paths);
      expect({ said: stdout + stderr, status }).toEqual({ said: '', status: 0 });
    });

    it.skipIf(!assesses).each(services)('%s is exposed at most as docs/deployment.md says', (name) => {
      const deployment = readFileSync(join(project, 'docs/deployment.md'), 'utf8');
      const [, documented] = /exposure level of ([\d.]+)/.exec(deployment) ?? [];
      const { stdout } = analyze('security', '--offline=true', join(folder, name));
      const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(level)).toBeGreaterThan(0);
      expect(Number(level)).toBeLessThanOrEqual(Number(documented));
    });
  });

  slow('start commands with options that exist', async () => {
    const commands = services.map((name) => (valuesOf(name, 'ExecStart')[0] as string).split(' '));
    const outcomes = await stakegraphOfEach(commands.map(([, command = '']) => [command, '--help']));
    for (const [index, words] of commands.entries()) {
      expect(words[0]).toBe('/usr/bin/stakegraph');
      const flags = words.filter((word) => word.startsWith('--'));
      expect(flags).toContain('--config');
      for (const flag of flags) expect(outcomes[index]?.stdout).toContain(`${flag} `);
    }
  });

  it.each(services)('%s runs without privileges, and takes secrets as credentials', (name) => {
    const confined = [
      ['DynamicUser', 'yes'],
      ['NoNewPrivileges', 'yes'],
      ['ProtectSystem', 'strict'],
      ['ProtectHome', 'yes'],
      ['PrivateTmp', 'yes'],
      ['CapabilityBoundingSet', ''],
    ] as const;
    for (const [key, value] of confined) expect(valuesOf(name, key)).toEqual([value]);
    const set = valuesOf(name, 'Environment').flatMap((line) => line.split(' '));
    const known = [...Object.keys(Settings.shape), ...secretSettings.map((secret) => `${secret}_FILE`)];
    for (const pair of set) {
      const [variable = '', value = ''] = pair.split('=');
      expect([...known, 'NODE_ENV', 'UPSTREAM_TOKEN_FILE']).toContain(variable);
      if (!variable.endsWith('_FILE')) continue;
      const credentials = valuesOf(name, 'LoadCredential').map((line) => line.split(':')[0]);
      expect(credentials).toContain(value.replace('%d/', ''));
    }
  });

  it('get other secrets as credentials by the documented lines of systemctl edit', () => {
    const deployment = readFileSync(join(project, 'docs/deployment.md'), 'utf8');
    const edits = [...deployment.matchAll(/```ini\n\[Service\]\n(.*?)```/gs)].map(([, lines = '']) => lines);
    const named = edits.flatMap((lines) => {
      const credentials = [...lines.matchAll(/^LoadCredential=([\w-]+):\/etc\/stakegraph\/\1$/gm)];
      const variables = [...lines.matchAll(/(\w+)_FILE=%d\/([\w-]+)/g)];
      expect(credentials.map(([, id]) => id)).toEqual(variables.map(([, , id]) => id));
      return variables.map(([, name]) => name as string);
    });
    expect(named).toEqual(['BEACON_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_HEADERS']);
    expect(secretSettings).toEqual(expect.arrayContaining(named));
  });

  it('keep the last two backups in a folder that only their owner may read', () => {
    const [line = ''] = valuesOf('stakegraph-backup.service', 'ExecStart');
    expect(line).toMatch(/ backup .*--keep 2 .*%S\/stakegraph-backup$/);
    expect(valuesOf('stakegraph-backup.service', 'StateDirectoryMode')).toEqual(['0700']);
  });

  it('serve the metrics of the index on a port of its own, whatever stakegraph.conf says', () => {
    const [own] = valuesOf('stakegraph-index.service', 'Environment').filter((line) =>
      /METRICS_PORT/.test(line),
    );
    const [, port] = /^METRICS_PORT=(\d+)$/.exec(own ?? '') ?? [];
    const conf = join(mkdtempSync(join(tmpdir(), 'stakegraph-conf-')), 'stakegraph.conf');
    writeFileSync(conf, 'METRICS_PORT=4001\n');
    onTestFinished(() => rmSync(join(conf, '..'), { recursive: true }));
    const { given } = withFile({ METRICS_PORT: port }, conf, Object.keys(Settings.shape));
    expect(given.METRICS_PORT).toBe('4002');
    expect(Settings.shape.PORT.parse(undefined)).not.toBe(Number(port));
    expect(readFileSync(join(project, 'docs/deployment.md'), 'utf8')).toContain(`127.0.0.1:${port}`);
  });

  it('leave the gateway the time that its longest shutdown takes', () => {
    const drain = Settings.shape.DRAIN_DELAY_MS.parse('60000') / 1_000;
    expect(Number(valuesOf('stakegraph.service', 'TimeoutStopSec')[0])).toBeGreaterThan(30 + drain);
  });
});
