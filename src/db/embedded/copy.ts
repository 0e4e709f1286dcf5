import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
  await chmod(to, 0o755);
  for (const entry of await readdir(to, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

export async function copyBelow(root: string, from: string, name: string): Promise<string> {
  if (!(await exists(root))) {
    await mkdir(root, { recursive: true });
    await chmod(root, 0o755);
  }
  const found = await lstat(root);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${root} is not a folder that only root can change`);
  }
  const target = join(root, name);
  if (await exists(target)) return target;
  const temporary = await mkdtemp(join(root, 'copy-'));
  try {
    await copyTree(from, join(temporary, name));
    await rename(join(temporary, name), target).catch(async (error) => {
      if (!(await exists(target))) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return target;
}
