import { Command, InvalidArgumentError } from 'commander';
import { createToken, listTokens, revokeToken } from '../accounts/tokens.ts';
import { parseDate, parseDateTime } from '../kernel/time.ts';
import { withDatabase } from './with-database.ts';

function future(text: string): Date {
  const seconds = parseDateTime(text) ?? parseDate(text);
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw new InvalidArgumentError('A date or date-time in the future is needed, like 2027-01-31.');
  }
  return new Date(seconds * 1000);
}

function tokenName(text: string): string {
  if (!/^[\w .:@-]{1,64}$/.test(text)) {
    throw new InvalidArgumentError('1 to 64 letters, digits, spaces and . : @ _ - are taken.');
  }
  return text;
}

/** `stakegraph token create|list|revoke` */
export function tokenCommand(): Command {
  const command = new Command('token').description('make, list and revoke access tokens');
  command
    .command('create')
    .description('make a token and print it; it cannot be shown again')
    .requiredOption('--name <name>', 'what the token is for', tokenName)
    .option('--expires <date>', 'date or date-time from which on it is refused', future)
    .action((flags: { name: string; expires?: Date }) =>
      withDatabase(async ({ write: pool }) => {
        const { token, row } = await createToken(pool, flags.name, flags.expires ?? null);
        process.stdout.write(`${token}\n`);
        process.stderr.write(
          `Token ${row.tokenId} (${row.name}). It is shown this once; only its hash is kept.\n`,
        );
      }),
    );
  command
    .command('list')
    .description('list tokens, newest first')
    .option('--json', 'as a JSON array')
    .action((flags: { json?: boolean }) =>
      withDatabase(async ({ write: pool }) => {
        const tokens = await listTokens(pool);
        if (flags.json) return void process.stdout.write(`${JSON.stringify(tokens, null, 2)}\n`);
        for (const row of tokens) {
          const state = row.revokedAt
            ? `revoked ${row.revokedAt}`
            : row.expiresAt
              ? `expires ${row.expiresAt}`
              : 'active';
          const used = row.lastUsedAt ? `last used ${row.lastUsedAt}` : 'never used';
          process.stdout.write(`${row.tokenId}  ${row.prefix}…  ${row.name}  ${state}, ${used}\n`);
        }
      }),
    );
  command
    .command('revoke')
    .description('refuse a token from now on, on every replica within seconds')
    .argument('<tokenId>', 'id of the token, as listed')
    .action((tokenId: string) =>
      withDatabase(async ({ write: pool }) => {
        const row = await revokeToken(pool, tokenId);
        if (!row)
          throw new Error(
            `There is no active token ${JSON.stringify(tokenId)}; see "stakegraph token list".`,
          );
        process.stdout.write(`revoked ${row.tokenId} (${row.name})\n`);
      }),
    );
  return command;
}
