import { EmbeddingError, type Embedder } from '../embedding/embedder.js';
import type { Sql, SqlPool } from '../sql.js';
import {
  hasVectors,
  indexWhenLarge,
  nearestVectors,
  openModel,
  putVectors,
  unitsWithoutVector,
  type NearestOptions,
  type VectorHit,
  type VectorModel,
} from './vector-store.js';

/** The vectors of one embedding provider. Every method may fail while keyword search still works; callers warn and continue. */
export class VectorIndex {
  readonly #pool: SqlPool;
  readonly embedder: Embedder;
  #model: VectorModel | undefined;
  #isIndexed = false;

  constructor(pool: SqlPool, embedder: Embedder) {
    this.#pool = pool;
    this.embedder = embedder;
  }

  /** The model of the provider. Throws EmbeddingError without pgvector, or when the provider does not know its dimension. */
  async model(): Promise<VectorModel> {
    if (this.#model) return this.#model;
    if (!(await hasVectors(this.#pool))) throw new EmbeddingError('this Postgres has no pgvector');
    this.#model = await openModel(this.#pool, this.embedder.name, await this.embedder.dimension());
    return this.#model;
  }

  async embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.embedder.embed([query], { kind: 'query', signal });
    if (!vector) throw new EmbeddingError(`${this.embedder.name} gave no vector`);
    return vector;
  }

  async nearest(options: NearestOptions): Promise<readonly VectorHit[]> {
    return nearestVectors(this.#pool, await this.model(), options);
  }

  /** Embeds texts and stores the vectors. @param texts by unit id */
  async put(texts: ReadonlyMap<number, string>, { sql = this.#pool, signal }: { sql?: Sql; signal?: AbortSignal } = {}): Promise<void> {
    if (texts.size === 0) return;
    const model = await this.model();
    const vectors = await this.embedder.embed([...texts.values()], { kind: 'document', signal });
    await putVectors(sql, model, new Map([...texts.keys()].map((id, at) => [id, vectors[at] ?? new Float32Array(model.dimension)])));
    if (!this.#isIndexed) this.#isIndexed = await indexWhenLarge(sql, model);
  }

  /** Units without a vector of this provider, sorted by id. */
  async missing(options: { readonly after: number; readonly limit: number }) {
    return unitsWithoutVector(this.#pool, await this.model(), options);
  }
}
