import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type Plugin, type Rollup } from 'vite';

const gateway = 'http://127.0.0.1:4000';
const generated = fileURLToPath(new URL('./src/__generated__/', import.meta.url));
const DOCUMENT = /graphql`\s*(?:query|mutation|subscription)\s+(\w+)[^`]*`/g;
/** The pages read fragments without masks, so that only documents which spread them have their fields. */
const FRAGMENT = /graphql`\s*fragment\s[^`]*`;/g;

/** Puts what Relay's compiler wrote in place of each document. Relay's own plugins need Babel, or an older Vite. */
const relay: Plugin = {
  name: 'relay',
  enforce: 'pre',
  transform(code, id) {
    // Its imports are of types only, and would else take Relay to wherever a document is.
    if (id.startsWith(generated)) return { code: code.replace(/^import \{/gm, 'import type {'), map: null };
    if (!/\.tsx?$/.test(id) || !code.includes('graphql`')) return undefined;
    const names = [...code.matchAll(DOCUMENT)].map(([, name]) => name as string);
    const imports = names.map((name) => `import ${name}$ from '${generated}${name}.graphql.ts';`).join('');
    return { code: imports + code.replace(DOCUMENT, '$1$$').replace(FRAGMENT, ''), map: null };
  },
};

const target = ['chrome123', 'firefox128', 'safari17.5']; // the first with light-dark()

/** Of the artifact of a document, what sends it; the rest is Relay's. */
const sent: Plugin = {
  name: 'sent',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(generated)) return undefined;
    const [, text] = /"text": ("(?:[^"\\]|\\.)*")/.exec(code) ?? [];
    const [, name] = /"name": ("\w+Query"),\s+"operationKind"/.exec(code) ?? [];
    return { code: `export default { params: { name: ${name}, text: ${text} } };`, map: null };
  },
};

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** A file and what it imports, as one script without imports and without React. */
async function alone(path: string, format: 'iife' | 'es'): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'error',
    plugins: [sent],
    resolve: {
      alias: [{ find: /^react(-router)?(\/jsx-runtime)?$/, replacement: source('first/parts/dom.ts') }],
    },
    build: {
      target,
      write: false,
      rollupOptions: {
        input: source(path),
        preserveEntrySignatures: 'strict',
        shimMissingExports: true, // of what React has and the components that are drawn do not call
        output: { format },
      },
    },
  })) as Rollup.RollupOutput;
  return output[0].code.trim();
}

const MODULE =
  /<(?:script type="module"|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?\s*/g;

const later = (src: string, page?: string) =>
  `<script type="later"${page ? ` data-first="${page}"` : ''} src="${src}"></script>`;

/**
 * Puts `first.ts` into the page, before its style sheet. It loads the files of `first/` and of the application, which the
 * page only names.
 */
const first: Plugin = {
  name: 'first',
  apply: 'build',
  async buildStart() {
    for (const name of readdirSync(source('first')).filter((one) => one.endsWith('.tsx'))) {
      const text = await alone(`first/${name}`, 'es');
      this.emitFile({ type: 'asset', name: `first-${name.replace('.tsx', '.js')}`, source: text });
    }
  },
  transformIndexHtml: {
    order: 'post',
    async handler(page, { bundle = {} }) {
      const files = [...page.matchAll(MODULE)].map(([, src]) => later(src as string));
      if (files.length === 0) throw new Error('index.html has no script of the application');
      for (const path of Object.keys(bundle)) {
        const [, name] = /\/first-([a-z]+)-[^/]*\.js$/.exec(path) ?? [];
        if (name) files.push(later(`./${path}`, name));
      }
      const script = `<script>${await alone('first.ts', 'iife')}</script>`;
      const scripts = [...files, script].map((line) => `${line}\n    `).join('');
      return page.replace(MODULE, '').replace(/(?=<link rel="stylesheet")/, () => scripts);
    },
  },
};

/** `npm run dev:web` serves the sources and passes requests of the API on to a gateway on its default port. */
export default defineConfig({
  base: './', // the gateway may be served below any path, and writes it into index.html
  plugins: [relay, first],
  // Without Relay's older containers, which are 7 kB of compressed script.
  resolve: { alias: [{ find: /^react-relay$/, replacement: 'react-relay/hooks' }] },
  server: { proxy: { '/graphql': gateway, '/page-token': gateway } },
  build: {
    target,
    assetsDir: 'assets/explorer',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] } }, // in one file, without another round trip
      // "use client" means nothing without a server.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
});
