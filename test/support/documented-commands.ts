import type { Command } from 'commander';
import { accountCommand } from '../../src/commands/account.ts';
import { archiveCommand } from '../../src/commands/archive.ts';
import { auditCommand } from '../../src/commands/audit.ts';
import { backupCommand, restoreCommand } from '../../src/commands/backup.ts';
import { copyToCommand } from '../../src/commands/copy-to.ts';
import { distributeCommand } from '../../src/commands/distribute.ts';
import { importCommand } from '../../src/commands/import.ts';
import { indexCommand } from '../../src/commands/index-chain.ts';
import { mirrorCommand } from '../../src/commands/mirror.ts';
import { openCommand } from '../../src/commands/open.ts';
import { refreshCommand } from '../../src/commands/refresh.ts';
import { repackCommand } from '../../src/commands/repack.ts';
import { retainCommand } from '../../src/commands/retain.ts';
import { statusCommand } from '../../src/commands/status.ts';
import { tokenCommand } from '../../src/commands/token.ts';
import { usageCommand } from '../../src/commands/usage.ts';
import { importers } from '../../src/ingest/importers/index.ts';

const commands = [
  accountCommand(),
  archiveCommand(),
  auditCommand(),
  distributeCommand(),
  importCommand(),
  indexCommand(),
  mirrorCommand(),
  openCommand(),
  refreshCommand(),
  repackCommand(),
  retainCommand(),
  statusCommand(),
  tokenCommand(),
  usageCommand(),
  copyToCommand(),
  backupCommand(),
  restoreCommand(),
];
/** Commands of main.ts without arguments. */
const plain = ['serve', 'migrate'];

type Request = { path: string; headers: [string, string][]; body?: string; response?: string };

/** The `curl` commands to the gateway in the shell blocks of a page, each with the JSON block that follows it. */
export function curlRequests(text: string): Request[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g)];
  return blocks
    .filter(([, command = '']) => /curl [\s\S]*127\.0\.0\.1:4000/.test(command))
    .map(([, command = '', response]) => {
      const values = Object.fromEntries(
        [...command.matchAll(/^(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
      );
      const line = command.replace(/\$(\w+)/g, (name, key) => values[key] ?? name);
      const url = /curl [\s\S]*?(http:\/\/127\.0\.0\.1:4000[^'\s]*)/.exec(line)?.[1] as string;
      const body = /-d '([^']*)'/.exec(line)?.[1];
      const headers = [...line.matchAll(/-H (['"])(\S+): (.*?)\1/g)].map(
        ([, , name, value]): [string, string] => [name as string, value as string],
      );
      return {
        path: url.replace('http://127.0.0.1:4000', ''),
        headers,
        ...(body && { body }),
        ...(response && { response }),
      };
    });
}

/** The scripts that a page runs with `npm`. */
export const npmScripts = (text: string): string[] =>
  [...text.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, short]) => (script ?? short) as string,
  );

function faultOf(line: string): string | undefined {
  const [name = '', ...words] = line.split(/\s+/);
  if (plain.includes(name)) return undefined;
  let command: Command | undefined = commands.find((one) => one.name() === name);
  const inner = command?.commands.find((one) => one.name() === words[0]);
  if (command?.commands.length) command = inner;
  if (!command) return line;
  if (name === 'import' && !((words[0] ?? '') in importers)) return line;
  const known = command.options.flatMap(({ long }) => long ?? []);
  return words.some((word) => word.startsWith('--') && !known.includes(word)) ? line : undefined;
}

/** The `npx stakegraph` commands of a page that name an unknown command, resource or option. */
export function commandFaults(text: string): string[] {
  const lines = [...text.replaceAll('\\\n', ' ').matchAll(/npx stakegraph ([^\n`#|]+)/g)].map(
    ([, line = '']) => line.trim(),
  );
  return lines.flatMap((line) => faultOf(line) ?? []);
}
