import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

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

/** `npm run dev:web` serves the sources and passes requests of the API on to a gateway on its default port. */
export default defineConfig({
  base: './', // the gateway may be served below any path, and writes it into index.html
  plugins: [relay],
  // Without Relay's older containers, which are 7 kB of compressed script.
  resolve: { alias: [{ find: /^react-relay$/, replacement: 'react-relay/hooks' }] },
  server: { proxy: { '/graphql': gateway, '/page-token': gateway } },
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5'], // the first with light-dark()
    assetsDir: 'assets/explorer',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } }, // in one file, see first.ts
      // "use client" means nothing without a server.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
});
