import { mostFileBytes, filesIn, Refusal, type FileData, type WorkerMessage } from '#lib/contracts';
import { fileIdOf, fileNameOf, FilePieces, type ExpiringFiles, type FileLinks, type KeptFiles } from '#lib/files';
import { Failure, ToolRefusal, type HandlerContext } from '#lib/handlers';
import type { AttemptWrites, InvocationStore } from '#lib/transport';

export interface ServedFilesParts {
  readonly kept: Pick<KeptFiles, 'keep' | 'remove'>;
  /** Where a file is while it comes. */
  readonly pieces: Pick<ExpiringFiles, 'put' | 'read' | 'delete'>;
  readonly links: Pick<FileLinks, 'fileOf'>;
  readonly store: Pick<InvocationStore, 'roomFor'> & { readonly attempts: Pick<AttemptWrites, 'isRunning'> };
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

type Piece = Extract<WorkerMessage, { type: 'file' }>;
type Context = Pick<HandlerContext<object>, 'caller' | 'effectKey' | 'attempt'>;

/** What the gateway says to a piece: how much it has, and the file once it is whole. */
export interface PieceTaken {
  readonly number: number;
  readonly received: number;
  readonly file?: FileData;
}

/** What the attempts of tenants hold here of files, before their calls have ended and are counted with them. */
export class ServedFiles {
  readonly parts: ServedFilesParts;
  readonly #held = new Map<string, number>();

  constructor(parts: ServedFilesParts) {
    this.parts = parts;
  }

  of(context: Context): AttemptFiles {
    return new AttemptFiles(this, context);
  }

  heldBy(tenant: string): number {
    return this.#held.get(tenant) ?? 0;
  }

  hold(tenant: string, bytes: number): void {
    const held = this.heldBy(tenant) + bytes;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
  }
}

interface Coming {
  readonly pieces: FilePieces;
  file?: FileData;
  isBusy: boolean;
}

/** The files that one attempt sends. Their ids are those of the attempt: an attempt that is taken for lost touches no file of the next. */
export class AttemptFiles {
  readonly #all: ServedFiles;
  readonly #context: Context;
  readonly #coming = new Map<number, Coming>();
  readonly #working = new Set<Promise<unknown>>();
  #bytes = 0;
  #isClosed = false;

  constructor(all: ServedFiles, context: Context) {
    this.#all = all;
    this.#context = context;
  }

  /** Bytes of the files that are whole. */
  get bytes(): number {
    return [...this.#coming.values()].reduce((sum, { file }) => sum + (file?.size_bytes ?? 0), 0);
  }

  /** Takes a piece. One that comes while another of its file is written is not taken: it is sent again. Throws what ends the attempt. */
  async take(piece: Piece): Promise<PieceTaken | null> {
    const { number, offset } = piece;
    const coming = this.#coming.get(number) ?? { pieces: this.#newPieces(number), isBusy: false };
    if (coming.isBusy || this.#isClosed) return null;
    this.#coming.set(number, coming);
    const received = coming.file?.size_bytes ?? coming.pieces.size;
    if (offset > received)
      throw new Failure('internal', `File ${number} goes on at byte ${offset}, and ${received} have come`, { retryable: false });
    if (coming.file) return { number, received, file: coming.file };
    // It was taken before, and the word of that was lost.
    if (offset < received) return { number, received };
    coming.isBusy = true;
    const work = this.#add(coming, piece).finally(() => (coming.isBusy = false));
    this.#working.add(work);
    return await work.finally(() => this.#working.delete(work));
  }

  /** Throws for an answer that names a file by a link of ours which this attempt has not sent: it would be given a new link. */
  check(data: unknown): void {
    const own = new Set([...this.#coming.values()].map(({ file }) => file?.file_id));
    const foreign = filesIn(data).find(({ file_id: id, url }) => !own.has(id) && this.#all.parts.links.fileOf(url) !== null);
    if (foreign)
      throw new Failure('internal', `The answer has the file ${foreign.file_id}, which its attempt has not sent`, { retryable: false });
  }

  /** The attempt is over. What is half there is removed, and unless it has given its answer, so is what is whole. */
  async close(isAnswered: boolean): Promise<void> {
    this.#isClosed = true;
    if (this.#coming.size === 0) return;
    await Promise.allSettled(this.#working);
    this.#all.hold(this.#context.caller.tenantId, -this.#bytes);
    for (const [number, { pieces, file }] of this.#coming) {
      await pieces.drop();
      if (!isAnswered || !file) await this.#all.parts.kept.remove(this.#idOf(number));
    }
  }

  async #add(coming: Coming, { number, name, content_type: contentType, data, last }: Piece): Promise<PieceTaken> {
    const { kept, store } = this.#all.parts;
    const { caller, effectKey, attempt } = this.#context;
    const bytes = Buffer.from(data, 'base64');
    const { pieces } = coming;
    if (pieces.size + bytes.length > mostFileBytes)
      throw new Failure('internal', `The file ${JSON.stringify(name)} has more than ${mostFileBytes} bytes`, { retryable: false });
    await this.#checkRoom(bytes.length, pieces.size === 0 || last);
    if (!last) {
      await pieces.add(bytes, this.#all.parts.now());
      return { number, received: pieces.size };
    }
    if (!(await store.attempts.isRunning(effectKey, attempt)))
      throw new Failure('internal', 'Another attempt has the call', { retryable: false });
    const id = this.#idOf(number);
    const filename = fileNameOf(name, 'file');
    const isSmall = pieces.size === 0;
    if (!isSmall) await pieces.add(bytes, this.#all.parts.now());
    const whole = { id, filename, contentType, visibility: 'private', bytes: isSmall ? bytes : pieces.whole() } as const;
    coming.file = await kept.keep(caller, whole);
    await pieces.drop();
    return { number, received: coming.file.size_bytes, file: coming.file };
  }

  /** Files that are not yet counted with their calls count here. @param asks whether the store is asked too */
  async #checkRoom(bytes: number, asks: boolean): Promise<void> {
    const { caller, effectKey } = this.#context;
    this.#bytes += bytes;
    this.#all.hold(caller.tenantId, bytes);
    const full = asks ? await this.#all.parts.store.roomFor(effectKey, caller.tenantId, this.#all.heldBy(caller.tenantId)) : null;
    if (!full) return;
    const { usedBytes, neededBytes, maxBytes } = full;
    throw new ToolRefusal(
      new Refusal(
        'QUOTA_EXCEEDED',
        `The calls of your tenant hold ${usedBytes} of the ${maxBytes} bytes that they may hold, and its files need ${neededBytes}. Results are ` +
          'freed 24 hours after their call: wait, make smaller files, or ask the operator for more (TENANT_BYTES)',
        { extra: { used_bytes: usedBytes, needed_bytes: neededBytes, limit_bytes: maxBytes } },
      ).error,
    );
  }

  #newPieces(number: number): FilePieces {
    return new FilePieces(this.#all.parts.pieces, this.#idOf(number));
  }

  #idOf(number: number): string {
    const { effectKey, attempt } = this.#context;
    return fileIdOf(effectKey, `attempt ${attempt} file ${number}`);
  }
}
