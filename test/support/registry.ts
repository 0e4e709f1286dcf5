import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A registry of the packages in a `node_modules` folder, each in its installed version; npm installs from it without a network. */
export async function serveRegistry(modules: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [name = '', archive] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const folder = join(modules, name);
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (!archive) {
        const dist = { tarball: `${url}/${name}/-/${manifest.version}.tgz` };
        const versions = { [manifest.version]: { ...manifest, dist } };
        const tags = { latest: manifest.version };
        response.end(JSON.stringify({ name, 'dist-tags': tags, versions }));
        return;
      }
    } catch {
      response.writeHead(404).end('{}');
      return;
    }
    const tar = spawn('tar', ['-c', '--exclude=./node_modules', '--transform=s,^\\.,package,S', '.'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    tar.stdout.pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
