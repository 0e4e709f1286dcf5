import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { secretSettings } from '../../../src/config/file.ts';
import { Settings } from '../../../src/config/index.ts';
import { stakegraphOfEach } from '../../support/process.ts';
import { thorough } from '../../support/thorough.ts';
import {
  buildRenderer,
  defaults,
  folder,
  type Manifest,
  noRenderer,
  type Renderer,
  read,
  typeFaults,
  type Values,
  withValues,
} from './chart.ts';

const schema = JSON.parse(read('values.schema.json'));
const accepts = (values: Values) => z.fromJSONSchema(schema).safeParse(values).success;
const templates = readdirSync(join(folder, 'templates'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.(yaml|tpl|txt)$/.test(name),
);

/** Settings that the chart sets itself, or that are of the embedded database. */
const own = [
  'PORT',
  'HOST',
  'METRICS_PORT',
  'MIGRATE',
  'DATA_DIR',
  'SAMPLE_DATA',
  'SAMPLE_DATE',
  'INDEX',
  'DRAIN_DELAY_MS',
  'RETAIN',
];

describe('the values of the Helm chart', () => {
  it('have every setting but those of the chart itself and those with credentials', () => {
    const others = Object.keys(Settings.shape).filter(
      (name) => !own.includes(name) && !secretSettings.includes(name),
    );
    expect(schema.properties.settings.propertyNames.enum).toEqual(others);
    const keys = [...secretSettings, 'UPSTREAM_TOKEN', 'GATEWAY_DATABASE_URL', 'BACKUP_DATABASE_URL'];
    expect(schema.properties.secret.properties.keys.items.enum).toEqual(keys);
    expect(Object.keys(schema.properties.secret.properties.values.properties)).toEqual(keys);
  });

  it('are by default what values.schema.json accepts', () => {
    expect(accepts(defaults())).toBe(true);
    expect(accepts(withValues(everything))).toBe(true);
  });

  it.each([
    ['an unknown setting', { settings: { LOG_LEVL: 'info' } }],
    ['a setting that the chart sets itself', { settings: { PORT: '80' } }],
    ['a setting with credentials that is not in the secret', { settings: { REDIS_URL: 'redis://a' } }],
    [
      'a setting without quotes, which Helm would write as 1e+06',
      { settings: { MAX_CONNECTIONS: 1_000_000 } },
    ],
    ['an unknown key of the secret', { secret: { values: { PASSWORD: 'a' } } }],
    ['an unknown value', { replicas: 2 }],
    ['no gateway', { gateway: { replicas: 0 } }],
    ['a time without a unit', { mirror: { every: '60' } }],
  ])('are refused by values.schema.json with %s', (_name, over) => {
    expect(accepts(withValues(over))).toBe(false);
  });

  it('have a default for everything that templates use', () => {
    const values = defaults();
    const unknown = templates.flatMap((name) =>
      [...read(join('templates', name)).matchAll(/\.Values((?:\.\w+)+)/g)]
        .map(([, path = '']) => path.slice(1))
        .filter((path) => {
          const [first, ...rest] = path.split('.');
          if (first === 'settings' || path === 'secret.values.DATABASE_URL') return false;
          const found = rest.reduce((value, key) => value?.[key], values[first as string]);
          return found === undefined;
        }),
    );
    expect(unknown).toEqual([]);
  });

  it('install this version by default', () => {
    expect(parse(read('Chart.yaml')).appVersion).toBe(packageJson.version);
  });
});

const placed = {
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
};
const everything: Values = {
  settings: { TRUST_PROXY: '10.0.0.0/8', CACHE: 'on', DATABASE_POOL: '20' },
  secret: {
    values: {
      DATABASE_URL: 'postgres://a:b@c/d',
      DATABASE_READ_URL: 'postgres://a:b@e/d',
      REDIS_URL: 'redis://f',
      BEACON_URL: 'http://g',
      EXECUTION_URL: 'http://h',
      RELAY_URLS: 'http://i',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://l/key',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://m/key',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k',
      UPSTREAM_TOKEN: 'j',
    },
  },
  imagePullSecrets: [{ name: 'registry' }],
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca/ca.crt' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
  gateway: { podAnnotations: { a: 'b' }, ...placed },
  service: { annotations: { a: 'b' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { a: 'b' },
    tls: [{ secretName: 'tls', hosts: ['stakegraph.example.org'] }],
  },
  autoscaling: { enabled: true },
  networkPolicy: {
    enabled: true,
    api: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metrics: [{ podSelector: { matchLabels: { name: 'prometheus' } } }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  migrate: placed,
  refresh: { enabled: true, ...placed },
  retain: { enabled: true, ages: 'validator-days=400d', ...placed },
  repack: { enabled: true, ...placed },
  backup: { enabled: true, claim: 'backups', keep: 3, ...placed },
  index: { enabled: true, ...placed },
  mirror: { enabled: true, from: 'https://k', args: ['--full'], ...placed },
};
const cases: [string, Values][] = [
  ['a database only', { secret: { values: { DATABASE_URL: 'postgres://a:b@c/d' } } }],
  ['everything', everything],
  [
    'a Secret of its own',
    {
      ...everything,
      secret: { existing: 'mine', keys: ['DATABASE_URL', 'REDIS_URL', 'BEACON_URL', 'UPSTREAM_TOKEN'] },
    },
  ],
  [
    'long names',
    {
      ...everything,
      nameOverride: `a-very-long-name-${'x'.repeat(60)}`,
      fullnameOverride: `a-very-long-name-${'y'.repeat(60)}`,
    },
  ],
];

const podOf = ({ spec }: Manifest) => (spec.jobTemplate?.spec ?? spec).template;
const podsOf = (manifests: Manifest[]) =>
  manifests.filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind)).map(podOf);
const only = (manifests: Manifest[], kind: string, end = '') => {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name.endsWith(end));
  expect(found, `${kind} ${end}`).toHaveLength(1);
  return found[0] as Manifest;
};
const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

describe.skipIf(noRenderer || !thorough)('the manifests of the Helm chart', () => {
  let renderer: Renderer;
  beforeAll(() => {
    renderer = buildRenderer();
  });
  afterAll(() => renderer?.close());

  describe.each(cases)('with %s', (_name, over) => {
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = renderer.manifests(withValues(over));
    });

    it('have the fields that Kubernetes knows, with their types', () => {
      const own = manifests.filter(({ kind }) => kind !== 'ServiceMonitor');
      expect(typeFaults(own)).toBe('');
    });

    it('have names that Kubernetes accepts, each once', () => {
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      for (const { metadata } of manifests) {
        // CronJobs get 11 more characters.
        expect(metadata.name).toMatch(/^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$/);
        for (const value of Object.values(metadata.labels))
          expect(value).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
      }
    });

    it('select pods that exist, and ports that these have', () => {
      const pods = podsOf(manifests);
      const having = (selector: Record<string, string>) =>
        pods.filter(({ metadata }) => matches(selector, metadata.labels));
      for (const each of manifests.filter(({ kind }) => kind === 'Deployment'))
        expect(having(each.spec.selector.matchLabels)).toEqual([podOf(each)]);
      for (const { spec } of manifests.filter(({ kind }) => kind === 'Service'))
        for (const pod of having(spec.selector))
          expect(pod.spec.containers[0].ports.map(({ name }: { name: string }) => name)).toContain(
            spec.ports[0].targetPort,
          );
      const gateway = podOf(only(manifests, 'Deployment', over.fullnameOverride ? 'y' : 'stakegraph'));
      const budget = only(manifests, 'PodDisruptionBudget');
      expect(having(budget.spec.selector.matchLabels)).toEqual([gateway]);
      for (const policy of manifests.filter(({ kind }) => kind === 'NetworkPolicy'))
        expect(having(policy.spec.podSelector.matchLabels)).not.toEqual([]);
      for (const monitor of manifests.filter(({ kind }) => kind === 'ServiceMonitor')) {
        const services = manifests.filter(
          ({ kind, metadata }) =>
            kind === 'Service' && matches(monitor.spec.selector.matchLabels, metadata.labels),
        );
        expect(services.map(({ spec }) => spec.ports[0].name)).toEqual([monitor.spec.endpoints[0].port]);
      }
    });

    it('run as an ordinary user that may write nowhere but to /tmp and backups, without a token of the cluster', () => {
      for (const { spec } of podsOf(manifests)) {
        expect(spec.automountServiceAccountToken).toBe(false);
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
        const [container] = spec.containers;
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ requests: {}, limits: {} });
        const writable = spec.volumes.filter((volume: object) => 'emptyDir' in volume);
        expect(writable.length).toBe(container.name === 'mirror' ? 1 : 0);
        const claims = spec.volumes.filter((volume: object) => 'persistentVolumeClaim' in volume);
        expect(claims).toEqual(
          container.name === 'backup'
            ? [{ name: 'backups', persistentVolumeClaim: { claimName: 'backups' } }]
            : [],
        );
        if (container.name === 'backup') {
          expect(container.volumeMounts).toContainEqual({ name: 'backups', mountPath: '/backups' });
          expect(container.args.slice(2)).toEqual(['backup', '--json', '/backups', '--keep', '3']);
        }
      }
    });

    it('set only settings that exist, and mount the file of each secret', () => {
      const files = [...secretSettings, 'UPSTREAM_TOKEN'].map((name) => `${name}_FILE`);
      const known = [...Object.keys(Settings.shape), ...files, 'NODE_EXTRA_CA_CERTS'];
      const config = only(manifests, 'ConfigMap');
      expect(Object.keys(config.data).filter((name) => !known.includes(name))).toEqual([]);
      for (const { spec } of podsOf(manifests)) {
        const { env, volumeMounts } = spec.containers[0];
        const { secret } = spec.volumes.find(({ name }: { name: string }) => name === 'secret');
        const { mountPath } = volumeMounts.find(({ name }: { name: string }) => name === 'secret');
        const variables = new Map<string, string>(env.map((each: any) => [each.name, each.value]));
        expect([...variables.keys()].filter((name) => !known.includes(name))).toEqual([]);
        const named = [...variables.keys()].filter((name) => files.includes(name));
        expect(named).toContain('DATABASE_URL_FILE');
        expect(named.map((name) => variables.get(name))).toEqual(
          secret.items.map(({ path }: { path: string }) => `${mountPath}/${path}`),
        );
        for (const [name] of variables) expect(Object.keys(config.data)).not.toContain(name);
        const made = manifests.find(
          (each) => each.kind === 'Secret' && each.metadata.name === secret.secretName,
        );
        if (secret.secretName === 'mine') continue;
        for (const { key } of secret.items) expect(Object.keys(made?.stringData)).toContain(key);
      }
    });

    it('run on the nodes that the values choose, each process on its own', () => {
      for (const { spec } of podsOf(manifests)) {
        const { name } = spec.containers[0];
        const chosen = Object.keys((over[name as 'gateway'] as object) ?? {}).includes('nodeSelector');
        if (chosen) expect(spec).toMatchObject(placed);
        else for (const key of Object.keys(placed)) expect(spec).not.toHaveProperty(key);
      }
    });

    it('start commands with options that exist', async () => {
      const commands = podsOf(manifests).map(({ spec }) => spec.containers[0].args.slice(2) as string[]);
      const outcomes = await stakegraphOfEach(commands.map(([command = '']) => [command, '--help']));
      for (const [index, words] of commands.entries())
        for (const flag of words.filter((word) => word.startsWith('--')))
          expect(outcomes[index]?.stdout, words.join(' ')).toContain(`${flag} `);
    });

    it('probe the gateway, and leave it the time that its shutdown takes', () => {
      const { spec } = podOf(only(manifests, 'Deployment', over.fullnameOverride ? 'y' : 'stakegraph'));
      const [container] = spec.containers;
      const path = (probe: string) => container[probe].httpGet;
      expect(path('readinessProbe')).toEqual({ path: '/ready', port: 'http' });
      expect(path('livenessProbe')).toEqual({ path: '/health', port: 'http' });
      expect(path('startupProbe')).toEqual({ path: '/health', port: 'http' });
      const drain = container.env.find(({ name }: { name: string }) => name === 'DRAIN_DELAY_MS').value;
      const { readinessProbe } = container;
      expect(Number(drain) / 1_000).toBeGreaterThanOrEqual(
        readinessProbe.periodSeconds * readinessProbe.failureThreshold,
      );
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(30 + Number(drain) / 1_000);
    });

    it('migrate before all else, with nothing that is made later', () => {
      const isHook = ({ metadata }: Manifest) =>
        metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade';
      const job = only(manifests.filter(isHook), 'Job');
      const hooks = manifests.filter((each) => isHook(each) && each.kind === 'Secret');
      const { containers, volumes } = podOf(job).spec;
      expect(containers[0].envFrom).toBeUndefined();
      expect([...hooks.map(({ metadata }) => metadata.name), 'mine']).toContain(volumes[0].secret.secretName);
    });
  });

  it('give gateways and backups the database URL of a narrower role, and all others that of the owner', () => {
    const values = {
      DATABASE_URL: 'postgres://owner:b@c/d',
      GATEWAY_DATABASE_URL: 'postgres://gateway:b@c/d',
      BACKUP_DATABASE_URL: 'postgres://backup:b@c/d',
    };
    const secret = { values: { ...everything.secret.values, ...values } };
    const keys = podsOf(renderer.manifests(withValues({ ...everything, secret }))).map(({ spec }) => {
      const { items } = spec.volumes.find(({ name }: { name: string }) => name === 'secret').secret;
      const { key } = items.find(({ path }: { path: string }) => path === 'DATABASE_URL');
      return [spec.containers[0].name, key];
    });
    const { gateway, backup, ...others } = Object.fromEntries(keys);
    expect([gateway, backup]).toEqual(['GATEWAY_DATABASE_URL', 'BACKUP_DATABASE_URL']);
    expect(new Set(Object.values(others))).toEqual(new Set(['DATABASE_URL']));
  });

  it('end a scheduled run that hangs after a day, or after the time of its job', () => {
    const refresh = { ...everything.refresh, activeDeadlineSeconds: 600 };
    const deadlines = renderer
      .manifests(withValues({ ...everything, refresh }))
      .filter(({ kind }) => kind === 'CronJob')
      .map(({ metadata, spec }) => [
        metadata.name.split('-').at(-1),
        spec.jobTemplate.spec.activeDeadlineSeconds,
      ]);
    const expected = { refresh: 600, retain: 86_400, repack: 86_400, backup: 86_400 };
    expect(Object.fromEntries(deadlines)).toEqual(expected);
  });

  it('are found faulty with a field that Kubernetes does not know, and without one that it needs', () => {
    const [, service] = renderer.manifests(withValues(everything)).filter(({ kind }) => kind === 'Service');
    expect(typeFaults([{ ...(service as Manifest), spce: {} }])).toContain('\'"spce"\' does not exist');
    const [job] = renderer.manifests(withValues(everything)).filter(({ kind }) => kind === 'Job');
    expect(typeFaults([{ ...(job as Manifest), spec: { backoffLimit: 1 } }])).toContain(
      "'template' is missing",
    );
  });

  const database = cases[0]?.[1] as Values;
  const pathless = { ...database, ingress: { enabled: true, path: '/stake' } };
  it.each([
    ['no database', {}, 'set secret.values.DATABASE_URL'],
    ['a Secret without the database', { secret: { existing: 'a', keys: ['REDIS_URL'] } }, 'DATABASE_URL'],
    ['an index without a node', { ...database, index: { enabled: true } }, 'BEACON_URL'],
    [
      'a mirror without a token',
      { ...database, mirror: { enabled: true, from: 'https://a' } },
      'UPSTREAM_TOKEN',
    ],
    ['a mirror of nothing', { ...everything, mirror: { enabled: true } }, 'mirror.from'],
    ['backups without a volume', { ...database, backup: { enabled: true } }, 'backup.claim'],
    ['an Ingress below a path that the gateway is not told', pathless, 'settings.PUBLIC_URL'],
    ['retention without ages', { ...database, retain: { enabled: true } }, 'retain.ages'],
  ])('are refused for %s, and the message names the value', (_name, over, named) => {
    expect(() => renderer.text(withValues(over))).toThrow(named);
  });

  it('serve below a path that PUBLIC_URL tells the gateway', () => {
    const ingress = { enabled: true, path: '/stake' };
    const settings = { PUBLIC_URL: 'https://example.org/stake/' };
    const text = Object.values(renderer.text(withValues({ ...database, settings, ingress }))).join('\n');
    expect(text).toMatch(/path: "\/stake"\n\s+pathType: Prefix/);
    expect(text).toContain('PUBLIC_URL: https://example.org/stake/\n');
  });

  it('come with notes that warn of gateways without Redis and of an Ingress that is not trusted', () => {
    const notes = (over: Values) => renderer.text(withValues(over))['NOTES.txt'];
    expect(notes({ ...database, ingress: { enabled: true } })).toMatch(/REDIS_URL[\s\S]*TRUST_PROXY/);
    expect(notes(everything)).not.toContain('WARNING');
  });
});
