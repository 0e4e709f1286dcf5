import { resolve } from 'node:path';
import { Command } from 'commander';
import { CODE_MINUTES, newPageCode } from '../accounts/page-codes.ts';
import { readSettings, SettingsError } from '../config/index.ts';
import { gatewayOf } from '../gateway/gateway-file.ts';
import { withDatabase } from './with-database.ts';

/** Starts no browser, because the process list would show the code. */
export const openCommand = (): Command =>
  new Command('open')
    .description('print a link that opens GraphiQL with the development token')
    .addHelpText(
      'after',
      `
The link works once, within ${CODE_MINUTES} minutes, and only with the embedded database: with DATABASE_URL there is no development token.`,
    )
    .action(async () => {
      const { DATABASE_URL, DATA_DIR } = readSettings();
      if (DATABASE_URL) {
        throw new SettingsError(
          'With DATABASE_URL there is no development token: make one with "stakegraph token create --name NAME" and give it to GraphiQL.',
        );
      }
      const url = await gatewayOf(DATA_DIR);
      if (!url) throw new Error(`No gateway runs on ${resolve(DATA_DIR)}: start it first, or set DATA_DIR.`);
      await withDatabase(async ({ write }) => {
        process.stdout.write(`${url}/graphql#${await newPageCode(write)}\n`);
      });
    });
