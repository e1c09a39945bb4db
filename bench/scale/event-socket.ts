// One reader of one event stream on a raw socket: thousands of them cost the load's own process little.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseEventId } from '#lib/contracts';

export class EventSocket implements Disposable {
  readonly #socket: Socket;
  #received = '';
  #isStream = false;
  #last = '';
  #lastEventId = '';
  #events = 0;
  #endedAt: number | null = null;

  private constructor(socket: Socket, after: string) {
    this.#socket = socket;
    this.#lastEventId = after;
    socket.setEncoding('latin1').on('data', (text: string) => this.#onText(text));
    // A gateway that is killed resets its sockets: the bench resumes at another.
    socket.on('error', () => socket.destroy());
  }

  /**
   * Resolves with the first event, or with the head of the answer where something is resumed. Throws where it is not a stream.
   * @param request the whole request
   * @param after the id of the event that it resumes after
   */
  static async open(url: string, request: string, after = ''): Promise<EventSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const stream = new EventSocket(socket, after);
    socket.write(request);
    while (!stream.#isOpen(after !== '')) {
      if (socket.destroyed) throw new Error(`the stream was closed before its first event: ${stream.#received.slice(0, 300)}`);
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      if (!stream.#isStream && /^HTTP\/1\.1 (?!200)/.test(stream.#received))
        throw new Error(`not a stream: ${stream.#received.slice(0, 500)}`);
    }
    // A call that is refused has an event too, of no job.
    if (stream.jobId === '') throw new Error(`refused: ${stream.#last}`);
    return stream;
  }

  get jobId(): string {
    return parseEventId(this.#lastEventId)?.jobId ?? '';
  }

  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** Events so far, here. */
  get events(): number {
    return this.#events;
  }

  /** When the last event of the call was read, as `performance.now()` tells; null before. */
  get endedAt(): number | null {
    return this.#endedAt;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #isOpen(isResumed: boolean): boolean {
    return isResumed ? this.#isStream : this.#events > 0;
  }

  #onText(text: string): void {
    // Only the head and the last, incomplete lines are looked at again.
    this.#received = (this.#received + text).slice(-4_096);
    this.#isStream ||= this.#received.startsWith('HTTP/1.1 200') && this.#received.includes('\r\n\r\n');
    const complete = this.#received.lastIndexOf('\n\n');
    if (complete < 0) return;
    const lines = this.#received.slice(0, complete);
    const ids = [...lines.matchAll(/^id: (\S+)$/gm)];
    if (ids.length > 0) this.#last = lines.slice(-1_000);
    this.#events += ids.length;
    this.#lastEventId = ids.at(-1)?.[1] ?? this.#lastEventId;
    if (/^event: tool_(?:result|error)$/m.test(lines)) this.#endedAt ??= performance.now();
    this.#received = this.#received.slice(complete + 2);
  }
}
