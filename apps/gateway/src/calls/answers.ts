import { Inject, Injectable } from '@nestjs/common';
import {
  lifecycleWarnings,
  mapFiles,
  principal,
  Refusal,
  type Caller,
  type Outcome,
  type ToolContract,
  type ToolError,
} from '#lib/contracts';
import { FileLinks } from '#lib/files';
import type { Logger } from '#lib/platform';
import { costMicros, wholeMs, type CacheEntry, type EndedCall } from '#lib/transport';
import type { RequestFacts } from './call-facts.js';
import { mayRead } from './authorise.js';
import { ResultIds } from './result-ids.js';
import type { Answer } from './answer.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';

/** An answer of the cache with fewer characters is read whole. */
const longCharacters = 2_000;

interface CachedCall {
  readonly contract: ToolContract;
  readonly entry: CacheEntry;
  /** How long the entry still lives. */
  readonly leftMs: number;
  /** The entry as it is stored. */
  readonly text: string;
}

interface Opened {
  readonly outcome: Outcome;
  /** Whether its data may have files of ours. */
  readonly hasFiles: boolean;
}

interface RefusedCall {
  readonly asked: string;
  readonly facts: Pick<RequestFacts, 'traceId' | 'caller'>;
}

/**
 * Turns stored outcomes into answers: fetches large ones, opens secrets for their owner and adds warnings of the tool's life cycle. Throws
 * FileStoreError when a large one cannot be had.
 */
@Injectable()
export class Answers {
  constructor(
    @Inject(Stores) private readonly stores: Pick<Stores, 'store' | 'sealer'> & { readonly log: Pick<Logger, 'info'> },
    private readonly tools: ToolDirectory,
    private readonly links: FileLinks,
    private readonly resultIds: ResultIds,
  ) {}

  /**
   * The answer of an ended invocation for one reader. Its secrets are opened, and a secret that may be read once is gone
   * afterwards: the next reader gets RESULT_CONSUMED.
   */
  async ofEnded(ended: EndedCall, reader: Caller): Promise<Answer> {
    const { outcome, hasFiles } = await this.#opened(ended, reader);
    const answer = this.#answer(ended, outcome);
    const { jobId, head } = ended;
    const shared = !mayRead(reader, head.caller) && { facts: { ...answer.facts, resultId: this.resultIds.idFor(reader, jobId) } };
    return { ...answer, ...shared, ...(hasFiles && { hasFiles }) };
  }

  /** The same answer for a list: secrets stay closed. */
  async ofListed(ended: EndedCall): Promise<Answer> {
    return this.#answer(ended, withoutSecrets(await this.stores.store.outcomeOf(ended.ending)));
  }

  /** The answer of a cache hit. */
  async ofCached(found: CachedCall, request: RequestFacts): Promise<Answer> {
    return this.ofCachedOutcome(await this.stores.store.outcomeOf(found.entry), found, request);
  }

  /** The same of an entry whose outcome is at hand. */
  ofCachedOutcome(outcome: Outcome, { contract, entry, leftMs, text }: CachedCall, request: RequestFacts): Answer {
    const isLong = entry.body !== undefined || text.length >= longCharacters;
    const { caller } = request;
    return {
      outcome: this.#withWarnings(outcome, contract),
      facts: {
        toolName: contract.name,
        traceId: request.traceId,
        timestamp: Date.now(),
        executionMs: 0,
        performance: {
          validation_ms: 0,
          queue_ms: 0,
          network_ms: 0,
          processing_ms: 0,
          total_ms: rounded(performance.now() - request.startedAt),
        },
        cache: { hit: true, cached_at: new Date(entry.cachedAt).toISOString(), ttl_remaining: Math.max(1, Math.ceil(leftMs / 1_000)) },
        toolVersion: contract.version,
        ...(isLong && caller && entry.jobId !== undefined && { resultId: this.resultIds.idFor(caller, entry.jobId) }),
      },
    };
  }

  /** The answer of a call that was refused before it was accepted. @param asked the tool as the caller named it */
  ofRefused(refusal: Refusal, { asked, facts: { traceId, caller } }: RefusedCall): Answer {
    const tools = caller ? this.tools.of(caller) : this.tools;
    return {
      outcome: { ok: false, error: refusal.error },
      facts: { toolName: tools.nameOf(asked), traceId, timestamp: Date.now() },
    };
  }

  #answer({ jobId, head, ending }: EndedCall, outcome: Outcome): Answer {
    const contract = this.tools.contractOf(head);
    return {
      outcome: this.#withWarnings(outcome, contract, head.warnings),
      facts: {
        toolName: head.tool,
        traceId: head.traceId,
        timestamp: ending.finishedAt,
        executionMs: ending.executionMs,
        performance: {
          validation_ms: head.validationMs,
          queue_ms: queueMs(head, ending),
          network_ms: ending.networkMs,
          processing_ms: Math.max(0, rounded(ending.executionMs - ending.networkMs)),
          total_ms: rounded(wholeMs(head, ending) + head.validationMs),
        },
        cache: contract?.cache && { hit: false },
        jobId,
        attempts: ending.attempts,
        toolVersion: head.version,
        costMicros: costMicros(head, ending),
      },
    };
  }

  async #opened({ jobId, head, ending }: EndedCall, reader: Caller): Promise<Opened> {
    const outcome = await this.stores.store.outcomeOf(ending);
    if (!outcome.ok || !outcome.sealed) return { outcome, hasFiles: false };
    const contract = this.tools.contractOf(head);
    if (!contract || principal(reader) !== principal(head.caller)) return { outcome: withoutSecrets(outcome), hasFiles: false };
    const text = await this.stores.store.claim(jobId, {
      once: contract.secretLife?.once ?? false,
      joinableMs: contract.singleFlight?.windowMs ?? 0,
      secrets: ending.secrets,
    });
    if (text === null) return { outcome: { ok: false, error: consumed(contract) }, hasFiles: false };
    const { sealed: _, ...rest } = outcome;
    this.stores.log.info(
      { event: 'secret-opened', trace_id: head.traceId, job_id: jobId, caller_id: principal(reader), credential_id: reader.credentialId },
      'a secret was given to its caller',
    );
    const data = this.stores.sealer.openData(contract, JSON.parse(text), { jobId, caller: head.caller });
    const linked = this.#linkedFor(reader, data);
    return { outcome: { ...rest, data: linked.data }, hasFiles: linked.hasFiles };
  }

  /** The data with links of the reader's own to its files: those of the call would end with another of his credentials. */
  #linkedFor(reader: Caller, given: unknown): { readonly data: unknown; readonly hasFiles: boolean } {
    let hasFiles = false;
    const data = mapFiles(given, (file) => {
      hasFiles = true;
      const link = this.links.linkFor(reader, file.url);
      return link ? { ...file, url: link.url, expires_at: link.expiresAt.toISOString() } : file;
    });
    return { data, hasFiles };
  }

  /** Adds those of the call itself, and of the tool's life cycle, to the warnings of the handler. */
  #withWarnings(outcome: Outcome, contract: ToolContract | undefined, ofCall: readonly string[] = []): Outcome {
    const warnings = [...ofCall, ...(contract ? lifecycleWarnings(contract, this.tools.today) : [])];
    return warnings.length === 0 ? outcome : { ...outcome, warnings: [...(outcome.warnings ?? []), ...warnings] };
  }
}

function withoutSecrets(outcome: Outcome): Outcome {
  if (!outcome.ok || !outcome.sealed) return outcome;
  const { sealed: _, ...rest } = outcome;
  return { ...rest, data: { sealed: true } };
}

function consumed(contract: ToolContract): ToolError {
  const code = 'RESULT_CONSUMED';
  return { code, family: code, message: `The result of ${contract.name} was already read or has expired; call again for a new one` };
}

/** From when the call was first ready to run. One that ended at rest never was. */
function queueMs({ createdAt }: EndedCall['head'], { startedAt, finishedAt, readyAt, restedMs = 0 }: EndedCall['ending']): number {
  if (startedAt === null && readyAt === undefined && restedMs > 0) return 0;
  return Math.max(0, (startedAt ?? finishedAt) - (readyAt ?? createdAt));
}

/** Milliseconds with two decimals. */
function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
