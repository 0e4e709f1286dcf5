/**
 * The address of `0x` and 64 hex digits in lower case. Null unless the prefix is 0x01 or 0x02, because other withdrawal
 * credentials have none.
 */
export const withdrawalAddressOf = (credentials: string): string | null =>
  /^0x0[12]/.test(credentials) ? `0x${credentials.slice(-40)}` : null;
