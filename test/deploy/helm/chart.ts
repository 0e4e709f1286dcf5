import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { project } from '../../support/process.ts';

export const folder = join(project, 'deploy/helm/stakegraph');
export const read = (name: string) => readFileSync(join(folder, name), 'utf8');

export type Values = { [key: string]: any };
export const defaults = (): Values => parse(read('values.yaml'));

/** The default values with others in their place, as `--values` of helm puts them. */
export function withValues(over: Values, base: Values = defaults()): Values {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const isMap = value && typeof value === 'object' && !Array.isArray(value);
    merged[key] = isMap ? withValues(value, base[key] ?? {}) : value;
  }
  return merged;
}

export type Manifest = { apiVersion: string; kind: string; metadata: any; spec?: any; [key: string]: any };

const isInstalled = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;
const libraries = ['github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'];
const GOPATH = '/usr/share/gocode';

/** Why the chart cannot be rendered here; undefined when it can. */
export const noRenderer =
  isInstalled('go', 'version') && libraries.every((name) => existsSync(join(GOPATH, 'src', name)))
    ? undefined
    : 'there is no Go with the libraries of Helm (apt-get install golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev)';

export type Renderer = {
  /** The text of each template. Throws what a template refuses. */
  text(values: Values): Record<string, string>;
  manifests(values: Values): Manifest[];
  close(): void;
};

export function buildRenderer(): Renderer {
  const scratch = mkdtempSync(join(tmpdir(), 'stakegraph-helm-'));
  const program = join(scratch, 'render');
  execFileSync('go', ['build', '-o', program, join(project, 'test/deploy/helm/render.go')], {
    env: { PATH: process.env.PATH, GO111MODULE: 'off', GOPATH, GOCACHE: join(scratch, 'cache') },
    stdio: 'pipe',
  });
  const text = (values: Values): Record<string, string> => {
    const { status, stdout, stderr } = spawnSync(program, [folder, 'try'], {
      input: JSON.stringify(values),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  return {
    text,
    manifests(values) {
      const { 'NOTES.txt': _, ...templates } = text(values);
      const documents = Object.values(templates).flatMap((each) => parseAllDocuments(each));
      return documents.map((each) => each.toJS({ mapAsMap: false })).filter((each) => each !== null);
    },
    close: () => rmSync(scratch, { recursive: true }),
  };
}

const modules: Record<string, string> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'batch/v1': 'batch/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
};

/** What TypeScript says of manifests that lack a field of Kubernetes, or have an unknown one or one of another type. */
export function typeFaults(manifests: Manifest[]): string {
  const scratch = mkdtempSync(join(tmpdir(), 'stakegraph-manifests-'));
  try {
    symlinkSync(join(project, 'node_modules'), join(scratch, 'node_modules'));
    const lines = manifests.map((manifest, index) => {
      const { apiVersion, kind } = manifest;
      const type = `import('kubernetes-types/${modules[apiVersion] ?? `unknown/${apiVersion}`}').${kind}`;
      return `export const ${kind}${index}: ${type} = ${JSON.stringify(manifest, null, 2)};\n`;
    });
    writeFileSync(join(scratch, 'manifests.ts'), lines.join(''));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      types: [],
      module: 'preserve',
      moduleResolution: 'bundler',
    };
    writeFileSync(
      join(scratch, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['manifests.ts'] }),
    );
    const tsc = join(project, 'node_modules/.bin/tsc');
    return spawnSync(tsc, ['-p', scratch, '--pretty', 'false'], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
