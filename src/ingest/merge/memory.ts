const MEMORY = '256MB';

/**
 * SQL that raises settings to 256 MB until the transaction ends, so that sorts and indexes of a million validators need
 * no temporary files. Settings that are higher remain.
 */
export const raiseMemory = (...settings: ('work_mem' | 'maintenance_work_mem')[]): string =>
  `select set_config(name, '${MEMORY}', true) from unnest('{${settings.join(', ')}}'::text[]) as name
  where pg_size_bytes(current_setting(name)) < pg_size_bytes('${MEMORY}')`;
