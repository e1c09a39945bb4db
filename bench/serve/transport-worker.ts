// The worker's end of a transport: it ends each attempt at once.
import { connect } from 'node:http2';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { Sender } from '../../libs/serve/src/sender.js';
import { serveParent } from '../system/parent.js';
import { jsonOf, onLines } from './lines.js';

const attemptShape = z.object({ attempt: z.string() });
const [transport = '', url = ''] = process.argv.slice(2);

function endOf(given: unknown) {
  const { attempt } = attemptShape.parse(given);
  return { type: 'done', attempt, data: { bmi: 22.86, filled: 'y'.repeat(300) } } as const;
}

async function serveEvents(): Promise<void> {
  const response = await fetch(url);
  const sender = new Sender({ url, key: 'k', heartbeatMs: 5_000, onUnknown: () => undefined, onGone: () => undefined });
  if (!response.body) throw new Error('no stream');
  for await (const { data } of response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()))
    sender.end(endOf(JSON.parse(data)));
}

function serveSocket(): void {
  const socket = new WebSocket(url);
  socket.on('message', (data) => socket.send(JSON.stringify(endOf(jsonOf(data)))));
}

function serveHttp2(): void {
  const stream = connect(url).request({ ':method': 'POST' }, { endStream: false });
  onLines(stream, (line) => stream.write(`${JSON.stringify(endOf(line))}\n`));
}

if (transport === 'WebSocket') serveSocket();
else if (transport === 'HTTP/2') serveHttp2();
else void serveEvents();
serveParent({}, async () => process.cpuUsage());
