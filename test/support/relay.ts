import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import relay from 'relay-runtime';
import type { Gateway } from './gateway.ts';

const { Environment, Network, RecordSource, Store }: Record<string, any> = relay;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A Relay environment on the running gateway. */
export const relayEnvironment = (gateway: Gateway) =>
  new Environment({
    store: new Store(new RecordSource()),
    network: Network.create(async (request: any, variables: object) => {
      const { json } = await gateway.graphql(request.text, variables);
      if (json.errors) throw new Error(JSON.stringify(json.errors));
      return json;
    }),
  });

/** Compiles modules with the real compiler; `artifact` is what it made of a document. */
export function compileRelay(modules: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-relay-'));
  mkdirSync(join(folder, 'src'));
  for (const [name, text] of Object.entries(modules))
    writeFileSync(join(folder, 'src', `${name}.js`), `import { graphql } from 'relay-runtime';\n${text}`);
  cpSync(join(root, 'schema.graphql'), join(folder, 'schema.graphql'));
  const config = {
    root: '.',
    sources: { src: 'app' },
    projects: {
      app: { schema: 'schema.graphql', language: 'javascript', output: 'generated', eagerEsModules: true },
    },
  };
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
  const compiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');
  execFileSync(process.execPath, [compiler, 'relay.config.json'], { cwd: folder, stdio: 'pipe' });
  return {
    artifact: async (name: string) =>
      (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'generated', `${name}.graphql.js`)).href))
        .default,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
