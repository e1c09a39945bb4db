import { EventSourceParserStream } from 'eventsource-parser/stream';
import {
  attemptFrame,
  cutText,
  fileFrame,
  keptFrame,
  settledFrame,
  stopFrame,
  tokenFrame,
  toolsFrame,
  welcomeFrame,
  workerLimits,
  type AttemptFrame,
  type WelcomeFrame,
} from '#lib/contracts';
import { runTool, type Handler } from '#lib/handlers';
import { AttemptRequests } from './attempt-requests.js';
import { ConnectionRefused } from './connection-refused.js';
import { endMessage, failureMessage } from './end-message.js';
import { attemptsHere, type AttemptHere } from './guard/attempts-here.js';
import { tellWatchdog } from './guard/watchdog.js';
import type { Message } from './protocol.js';
import { sendFile } from './send-file.js';
import { Sender } from './sender.js';
import { keptByGateway } from './kept-steps.js';
import type { WorkerEvent } from './worker-event.js';

export interface SessionParts {
  readonly url: string;
  readonly key: string;
  /** The body of `POST /workers`, as JSON. */
  readonly announcement: string;
  /** Attempts at the same time, as announced. */
  readonly concurrency: number;
  readonly handlers: ReadonlyMap<string, Handler<object>>;
  readonly onEvent: (event: WorkerEvent) => void;
}

interface RunningHere extends AttemptHere {
  readonly controller: AbortController;
}

/** One connection to a gateway, from its welcome to its end, and the attempts that came over it. */
export class Session {
  readonly #parts: SessionParts;
  readonly #over = new AbortController();
  readonly #running = new Map<string, RunningHere>();
  /** Attempts whose handlers run, also those that were stopped: some do not heed it. Who rests never returns, and runs no more. */
  readonly #alive = new Set<RunningHere>();
  #sender: Sender | null = null;
  #messagesUrl = '';
  #silence: NodeJS.Timeout | undefined;
  #isDraining = false;
  /** What the gateway can do; null before its welcome. */
  #gateway: WelcomeFrame | null = null;
  readonly #requests = new AttemptRequests(() => this.#sender);
  #onIdle: () => void = () => undefined;
  #left: Promise<void> | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * Serves until the connection ends. Throws ConnectionRefused, or what the network threw.
   * @param onDrain called when the gateway is about to stop: a new connection is to be made beside this one
   */
  async run(onWelcome: () => void, onDrain: () => void): Promise<void> {
    const { url, key, announcement, onEvent } = this.#parts;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' };
    try {
      const response = await fetch(`${url}/workers`, { method: 'POST', headers, body: announcement, signal: this.#over.signal });
      if (!response.ok || !response.body) throw new ConnectionRefused(response.status, await response.text());
      let silenceMs = 60_000;
      for await (const { event, data } of response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
        this.#watch(silenceMs);
        const parsed: unknown = JSON.parse(data);
        switch (event ?? '') {
          case 'welcome': {
            this.#gateway = welcomeFrame.parse(parsed);
            const { worker, heartbeat_ms: heartbeatMs, silence_ms, tools } = this.#gateway;
            silenceMs = silence_ms;
            this.#messagesUrl = `${url}/workers/${worker}/messages`;
            this.#sender = new Sender({
              url: this.#messagesUrl,
              key,
              heartbeatMs,
              onUnknown: (id) => this.#stop(id),
              onGone: () => this.close(),
            });
            onEvent({ kind: 'connected', worker, tools });
            onWelcome();
            if (this.#isDraining) this.#say({ type: 'drain' });
            break;
          }
          case 'attempt':
            void this.#attempt(attemptFrame.parse(parsed));
            break;
          case 'stop':
            this.#stop(stopFrame.parse(parsed).attempt);
            break;
          case 'settled':
            this.#sender?.settle(settledFrame.parse(parsed).attempts);
            break;
          case 'kept': {
            const { attempt, name } = keptFrame.parse(parsed);
            this.#sender?.kept(attempt, name);
            break;
          }
          case 'token':
            this.#requests.tokenCame(tokenFrame.parse(parsed));
            break;
          case 'file':
            this.#requests.pieceTaken(fileFrame.parse(parsed));
            break;
          case 'tools':
            onEvent({ kind: 'serving', tools: toolsFrame.parse(parsed).served });
            break;
          case 'drain':
            onDrain();
            break;
        }
      }
    } catch (error) {
      if (!this.#over.signal.aborted) throw error;
    } finally {
      this.close();
    }
  }

  /** Takes no more attempts, ends those that run, and leaves. All who ask for it wait for the same end. */
  async drain(): Promise<void> {
    return (this.#left ??= this.#leave());
  }

  async #leave(): Promise<void> {
    this.#isDraining = true;
    this.#say({ type: 'drain' });
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#sender?.flush();
    this.close();
  }

  close(): void {
    this.#over.abort();
    clearTimeout(this.#silence);
    this.#sender?.stop();
    for (const { controller } of this.#running.values()) controller.abort(new Error('the connection to the gateway is over'));
  }

  async #attempt(frame: AttemptFrame): Promise<void> {
    const { attempt, tool, version, caller, effect_key, number, session_id, trace_id, earlier_output = [] } = frame;
    // It was delivered twice.
    if (this.#running.has(attempt)) return;
    const handler = this.#parts.handlers.get(`${tool}@${version}`);
    if (!handler || this.#isDraining || this.#isFull) return this.#say({ type: 'return', attempt });
    const here: RunningHere = {
      attempt,
      tool,
      controller: new AbortController(),
      fail: (error) => this.#failStray(here, { error, traceId: trace_id }),
    };
    this.#running.set(attempt, here);
    let [outputs, files] = [0, 0];
    const costs = this.#costsOf(attempt);
    const gateway = this.#gateway;
    tellWatchdog({ kind: 'began', attempt, tool, url: this.#messagesUrl, key: this.#parts.key });
    const result = await attemptsHere.run(here, async () =>
      runTool(
        this.#counted(handler, here),
        {},
        {
          jobId: effect_key,
          number,
          input: frame.input,
          caller: { tenantId: caller.tenant_id, userId: caller.user_id, tier: caller.tier, scopes: [], credentialId: '' },
          sessionId: session_id,
          stop: here.controller.signal,
          traceId: trace_id,
          ...(frame.known && { known: frame.known }),
          onProgress: (progress, message) =>
            this.#say({ type: 'progress', attempt, progress, message: cutText(message, workerLimits.progressText) }),
          onCost: costs,
          onLog: (level, message) => this.#say({ type: 'log', attempt, level, message: cutText(message, workerLimits.text) }),
          output: async (data) =>
            this.#sender?.sent({ type: 'output', attempt, ...(gateway?.output_numbers && { number: ++outputs }), data: [...data] }),
          earlierOutput: async () => earlier_output,
          hooksAt: () => frame.hooks ?? null,
          steps: keptByGateway(frame, {
            isKnown: gateway?.steps ?? false,
            asks: gateway?.questions ?? false,
            send: async (step) => this.#sender?.keep(step, step.name),
          }),
          sendFile: gateway?.files
            ? async (file, signal) =>
                sendFile(file, { attempt, number: ++files, signal, send: async (piece) => this.#requests.piece(piece) })
            : undefined,
          account: gateway?.accounts ? this.#requests.account(attempt, { asksForMore: gateway.account_scopes }) : null,
        },
      ),
    );
    if (result.kind === 'resting') this.#alive.delete(here);
    if (result.kind === 'failed') this.#parts.onEvent({ kind: 'failed', tool, traceId: trace_id, cause: result.cause });
    const unsent = this.#end(here, result.kind === 'stopped' ? null : endMessage(result, gateway?.network_times ?? false));
    if (unsent !== null) this.#parts.onEvent({ kind: 'unsent', tool, traceId: trace_id, message: unsent });
  }

  /** Takes what an attempt has cost so far. What comes in one go is told once. */
  #costsOf(attempt: string): (micros: number) => void {
    let latest = 0;
    let isQueued = false;
    return (micros) => {
      if (!this.#gateway?.costs) throw new Error('This gateway counts no costs of handlers: it is of an older version');
      latest = micros;
      if (isQueued) return;
      isQueued = true;
      queueMicrotask(() => {
        isQueued = false;
        this.#say({ type: 'cost', attempt, micros: latest });
      });
    };
  }

  /** @param message null where the end is not wanted. @returns why it cannot be sent; null where it can */
  #end(here: RunningHere, message: Message | null): string | null {
    const { attempt } = here;
    // It has ended before, by what it left behind.
    if (this.#running.get(attempt) !== here) return null;
    this.#running.delete(attempt);
    this.#requests.forget(attempt);
    tellWatchdog({ kind: 'ended', attempt });
    const unsent = (message && this.#sender?.end({ ...message, attempt })) ?? null;
    if (this.#running.size === 0) this.#onIdle();
    return unsent;
  }

  /** Something that the tool left behind has failed, or it did something to the process: that ends its attempt. */
  #failStray(here: RunningHere, { error, traceId }: { readonly error: Error; readonly traceId: string }): void {
    this.#parts.onEvent({ kind: 'stray', tool: here.tool, traceId, cause: error });
    this.#end(here, failureMessage({ failure: 'internal', retryable: false, cause: error }));
    here.controller.abort(error);
  }

  /** Whatever the gateway sends, no more runs than was announced; as much again may run that was stopped and goes on. */
  get #isFull(): boolean {
    const { concurrency } = this.#parts;
    return this.#running.size >= concurrency || this.#alive.size >= 2 * concurrency;
  }

  #counted({ contract, run }: Handler<object>, here: RunningHere): Handler<object> {
    return {
      contract,
      run: async (input, context) => {
        this.#alive.add(here);
        try {
          return await run(input, context);
        } finally {
          this.#alive.delete(here);
        }
      },
    };
  }

  #stop(attempt: string): void {
    this.#running.get(attempt)?.controller.abort(new Error('the call was cancelled, or has ended'));
  }

  #say(message: Message): void {
    this.#sender?.say(message);
  }

  /** The gateway says something every few seconds. */
  #watch(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.close(), silenceMs);
  }
}
