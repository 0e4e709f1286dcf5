import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { sampleStakeAuthorities } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';

const PATH = '/v1/solana/delegators/stakeAuthorities';
const QUERY = 'window=1d&limit=1&offset=1';

async function gatewayWith(settings: NonNullable<Parameters<typeof gatewayForTest>[0]>['settings']) {
  const gateway = await gatewayForTest({ template: 'empty', ...(settings ? { settings } : {}) });
  const rows: unknown[] = [];
  for (const row of sampleStakeAuthorities()) if (rows.push(row) === 3) break;
  await importText(gateway, 'stake-authorities', JSON.stringify(rows));
  return gateway;
}

const links = async (gateway: Gateway, headers = {}) => {
  const { json } = await gateway.get(`${PATH}?${QUERY}`, headers);
  return [json.previous, json.next];
};
const at = (base: string) =>
  [0, 2].map((offset) => `${base}${PATH}?window=1d&limit=1&offset=${offset}&revision=1`);
const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'data.example' };

/** The body of an answer to a request written by hand. */
const raw = (gateway: Gateway, target: string, protocol: string, ...headers: string[]) =>
  new Promise<any>((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('data', (data) => (text += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))));
    const lines = [`GET ${target} ${protocol}`, `Authorization: Bearer ${gateway.token}`, ...headers];
    socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  });

describe('the links of a v1 page', () => {
  it('are on the scheme and host of the request, whatever is forwarded by strangers', async () => {
    const gateway = await gatewayWith({});
    expect(await links(gateway)).toEqual(at(gateway.url));
    expect(await links(gateway, forwarded)).toEqual(at(gateway.url));
  });

  slow('are on the forwarded scheme and host when a trusted proxy says them', async () => {
    const gateway = await gatewayWith({ TRUST_PROXY: ['127.0.0.1'] });
    expect(await links(gateway, forwarded)).toEqual(at('https://data.example'));
    const stranger = await gatewayWith({ TRUST_PROXY: ['10.0.0.0/8'] });
    expect(await links(stranger, forwarded)).toEqual(at(stranger.url));
  });

  it('never have a scheme that is none of HTTP', async () => {
    const gateway = await gatewayWith({ TRUST_PROXY: ['127.0.0.1'] });
    const scheme = { ...forwarded, 'x-forwarded-proto': 'javascript' };
    expect(await links(gateway, scheme)).toEqual(at('http://data.example'));
  });

  it('are on PUBLIC_URL before all others', async () => {
    const gateway = await gatewayWith({
      PUBLIC_URL: 'https://public.example/data',
      TRUST_PROXY: ['127.0.0.1'],
    });
    expect(await links(gateway, forwarded)).toEqual(at('https://public.example/data'));
  });

  it('never repeat a host that is none', async () => {
    const gateway = await gatewayWith({});
    const bad = await raw(gateway, `${PATH}?${QUERY}`, 'HTTP/1.1', 'Host: a"><b>');
    expect([bad.previous, bad.next]).toEqual(at('http://localhost'));
    const none = await raw(gateway, `${PATH}?${QUERY}`, 'HTTP/1.0');
    expect([none.previous, none.next]).toEqual(at('http://localhost'));
  });
});
