// The load: so many connections that each ask again as soon as they are answered. A process of its own, and no HTTP
// client: it looks for the length of an answer and for nothing else, so that it takes little of the machine it measures.
import { connect } from 'node:net';

/** The bytes of a request. */
export function requestBytes({ method = 'GET', path, headers = {}, body }) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (text) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}

/** Reads answers off a socket and calls back with the status of each when it is whole. */
function onAnswer(socket, callback) {
  let head = ''; // of an answer whose headers have not all come
  let left = 0; // bytes of the body still to come; -1: until the last chunk
  let tail = '';
  let status = 0;
  socket.on('data', (data) => {
    let body = data.length;
    if (left === 0) {
      head += data.latin1Slice(0, data.length);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2));
      body = head.length - end - 4;
      left = length ? Number(length[1]) : -1;
      tail = head.slice(-5);
      head = '';
      if (length && left === 0) return callback(status);
    } else if (left < 0) tail = (tail + data.latin1Slice(Math.max(0, data.length - 5))).slice(-5);
    if (left < 0) {
      if (!tail.endsWith('0\r\n\r\n')) return;
      left = 0;
    } else if ((left -= body) > 0) return;
    callback(status);
  });
}

/**
 * Loads an address for some milliseconds, with each of these requests in turn; answers how many answers came, how long each took, and what failed. An answer
 * is counted when it came within the time.
 */
function load({ port, bytes, connections, milliseconds }) {
  const took = [];
  const failures = {};
  const fail = (what) => (failures[what] = (failures[what] ?? 0) + 1);
  const started = performance.now();
  const until = started + milliseconds;
  const one = (_, first) =>
    new Promise((done) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let asked = 0;
      let next = first; // connections begin at different places, so that those which ask together ask for different things
      const ask = () => {
        asked = performance.now();
        if (asked >= until) return socket.destroy();
        socket.write(bytes[next++ % bytes.length]);
      };
      onAnswer(socket, (status) => {
        const now = performance.now();
        if (status !== 200) fail(status);
        else if (now <= until) took.push(now - asked);
        ask();
      });
      socket.on('connect', ask);
      socket.on('error', (error) => fail(error.code ?? 'error'));
      socket.on('close', () => {
        if (performance.now() < until) fail('closed');
        done();
      });
    });
  return Promise.all(Array.from({ length: connections }, one)).then(() => {
    const sorted = Float64Array.from(took).sort();
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
    const rate = took.length / (milliseconds / 1000);
    return { answers: took.length, rate, p50: at(0.5), p99: at(0.99), failures };
  });
}

if (process.send) {
  process.on('message', async ({ bytes, ...options }) =>
    process.send(await load({ ...options, bytes: bytes.map((one) => Buffer.from(one, 'base64')) })),
  );
  process.on('disconnect', () => process.exit());
}
