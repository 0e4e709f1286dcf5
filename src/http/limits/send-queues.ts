import { createReadStream } from 'node:fs';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';
import { createInterface } from 'node:readline';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const LINE = /^ *\d+: ([\dA-F]+:[\dA-F]{4} [\dA-F]+:[\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/;

export function parseSendQueue(line: string): { connection: string; bytes: number } | undefined {
  const [, connection, queue] = LINE.exec(line) ?? [];
  return connection && queue ? { connection, bytes: Number.parseInt(queue, 16) } : undefined;
}

function addressBytes(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  const groups = (text: string) =>
    text.split(':').flatMap((group) => {
      if (group === '') return [];
      if (isIPv4(group)) return addressBytes(group);
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    });
  const [before = '', after = ''] = address.replace(/%.*/, '').split('::');
  const [left, right] = [groups(before), groups(after)];
  return [...left, ...Array<number>(16 - left.length - right.length).fill(0), ...right];
}

const hex = (bytes: Uint8Array | number[]) => Buffer.from(bytes).toString('hex').toUpperCase();

/** Writes an address and port like Linux's TCP table, whose 32-bit words have the machine's byte order. */
export function tableEndpoint(address: string, port: number): string {
  const bytes = Buffer.from(addressBytes(address));
  return `${hex(endianness() === 'LE' ? bytes.swap32() : bytes)}:${hex([port >> 8, port & 0xff])}`;
}

export function connectionOf({
  localAddress,
  localPort,
  remoteAddress,
  remotePort,
}: Socket): string | undefined {
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return undefined;
  return `${tableEndpoint(localAddress, localPort)} ${tableEndpoint(remoteAddress, remotePort)}`;
}

export async function readSendQueues(connections: ReadonlySet<string>): Promise<Map<string, number>> {
  const queues = new Map<string, number>();
  if (process.platform !== 'linux') return queues;
  for (const path of TABLES) {
    try {
      for await (const line of createInterface({ input: createReadStream(path) })) {
        const queue = parseSendQueue(line);
        if (queue && connections.has(queue.connection)) queues.set(queue.connection, queue.bytes);
      }
    } catch {
      // The system has no IPv6, or hides /proc.
    }
  }
  return queues;
}
