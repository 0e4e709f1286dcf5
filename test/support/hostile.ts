/** Values that a cast, a column or JSON in SQL may not take. */

/** What PostgreSQL stores neither in text nor in JSON. */
export const unstorable = ['\0', 'a\0b', '\ud800', '\udfff', 'a\ud800b', '\udc00\ud800'];
export const texts = [
  ...unstorable,
  ...[
    '',
    ' ',
    '\uffff',
    '\ufffe',
    '\u{10ffff}',
    '\u202e',
    '１２',
    '-0',
    '1e5',
    '1e400',
    '9'.repeat(40),
    '-1',
  ],
  ...[
    'x'.repeat(300),
    '%',
    "'",
    '"',
    '\\',
    '\\x00',
    '{}',
    '[',
    'null',
    'NaN',
    'infinity',
    '0x',
    '0xzz',
    '\n',
  ],
  ...['9999-12-31', '0000-00-00', '-4713-01-01', '10000-01-01T00:00:00Z', '2024-02-30', '23:59:60'],
  Buffer.from('1.x.["\\ud800"]').toString('base64url'),
  Buffer.from('Operator:mainnet:pool:\0').toString('base64url'),
  Buffer.from('Validator:mainnet:99999999999999999999').toString('base64url'),
];
export const numbers = [-1, 0, -0, 1, 2 ** 31 - 1, 2 ** 31, 1.5, 1e5, 1e300, 5e-324, Number.MAX_SAFE_INTEGER];
