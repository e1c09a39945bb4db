// Vectors in pgvector. Each embedding model has its own table and index, because a column has one dimension.
import { filterSql, type LabelFilter } from '../filter.js';
import { inTransaction, type Sql, type SqlPool } from '../sql.js';

export interface VectorModel {
  readonly id: number;
  readonly dimension: number;
}

export interface VectorHit {
  readonly unitId: number;
  /** Cosine similarity, −1 to 1. */
  readonly similarity: number;
}

/** Up to this many units all vectors are compared. That is faster than an index, which also finds neighbours in other spaces. */
const exactUnits = 2_000;
const maxIndexed = 2_000;

/** Whether pgvector is installed on this server, or can be. */
export async function hasVectors(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  return rows.length > 0;
}

/**
 * The model with its table, which is created if necessary. Throws when pgvector is missing. The database's own functions create it and its
 * index: this process may connect as a role that owns nothing.
 */
export async function openModel(sql: Sql, name: string, dimension: number): Promise<VectorModel> {
  const known = await findModel(sql, name, dimension);
  if (known) return known;
  const { rows } = await sql.query<{ id: number }>('SELECT open_retrieval_model($1, $2) AS id', [name, dimension]);
  return { id: rows[0]?.id ?? 0, dimension };
}

async function findModel(sql: Sql, name: string, dimension: number): Promise<VectorModel | null> {
  const { rows } = await sql.query<{ id: number }>('SELECT id FROM retrieval_model WHERE name = $1 AND dimension = $2', [name, dimension]);
  const [row] = rows;
  return row ? { id: row.id, dimension } : null;
}

/**
 * Creates the index once the table is larger than what is compared one by one. Before, it would slow imports and no search would use it.
 * Vectors that are too long for an index of pgvector are always compared.
 * @returns whether the table needs no further index
 */
export async function indexWhenLarge(sql: Sql, model: VectorModel): Promise<boolean> {
  if (model.dimension > maxIndexed) return true;
  const { rows } = await sql.query<{ large: boolean }>(`SELECT EXISTS (SELECT FROM ${tableOf(model)} OFFSET ${exactUnits}) AS large`);
  if (!rows[0]?.large) return false;
  await sql.query('SELECT index_retrieval_model($1)', [model.id]);
  return true;
}

export async function putVectors(sql: Sql, model: VectorModel, vectors: ReadonlyMap<number, Float32Array>): Promise<void> {
  await sql.query(
    `INSERT INTO ${tableOf(model)} (unit_id, space_id, vec)
     SELECT unit.id, unit.space_id, given.vec::vector FROM unnest($1::int[], $2::text[]) AS given(id, vec) JOIN retrieval_unit unit ON unit.id = given.id
     ON CONFLICT (unit_id) DO UPDATE SET vec = excluded.vec`,
    [[...vectors.keys()], [...vectors.values()].map(literal)],
  );
}

/** Units without a vector of this model, oldest first. */
export async function unitsWithoutVector(
  sql: Sql,
  model: VectorModel,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly { readonly id: number; readonly space: string; readonly ref: string }[]> {
  const { rows } = await sql.query<{ id: number; space: string; ref: string }>(
    `SELECT unit.id, space.name AS space, unit.ref FROM retrieval_unit unit JOIN retrieval_space space ON space.id = unit.space_id
     WHERE unit.id > $1 AND NOT EXISTS (SELECT FROM ${tableOf(model)} v WHERE v.unit_id = unit.id) ORDER BY unit.id LIMIT $2`,
    [after, limit],
  );
  return rows;
}

export interface NearestOptions {
  readonly vector: Float32Array;
  readonly spaceIds: readonly number[];
  /** Units in those spaces. */
  readonly units: number;
  readonly filter: LabelFilter;
  readonly limit: number;
}

/** The units with the most similar vectors, best first. */
export async function nearestVectors(
  pool: SqlPool,
  model: VectorModel,
  { vector, spaceIds, units, filter, limit }: NearestOptions,
): Promise<readonly VectorHit[]> {
  const condition = filterSql(filter, 4);
  const join = condition.text ? `JOIN retrieval_unit unit ON unit.id = v.unit_id AND ${condition.text}` : '';
  const source = `FROM ${tableOf(model)} v ${join} WHERE v.space_id = ANY($2)`;
  const values = [literal(vector), spaceIds, limit, ...condition.values];
  if (units <= exactUnits) {
    // OFFSET 0 keeps the planner from using the index, which would return too few units of these spaces.
    return similarities(
      await pool.query<VectorRow>(
        `SELECT unit_id, 1 - distance AS similarity FROM (SELECT v.unit_id, v.vec <=> $1::vector AS distance ${source} OFFSET 0) near
         ORDER BY distance LIMIT $3`,
        values,
      ),
    );
  }
  const search = (sql: Sql) =>
    sql.query<VectorRow>(
      `SELECT v.unit_id, 1 - (v.vec <=> $1::vector) AS similarity ${source} ORDER BY v.vec <=> $1::vector LIMIT $3`,
      values,
    );
  return similarities(
    await inTransaction(pool, search, `SET LOCAL hnsw.ef_search = ${Math.min(1_000, Math.max(40, Number(limit)))}; ${iterative}`),
  );
}

/** Continues the index search when a filter or another space removed neighbours. For pgvector 0.8 and newer; ignored by older ones. */
const iterative = 'SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.max_scan_tuples = 20000';

interface VectorRow {
  unit_id: number;
  similarity: number;
}

function similarities({ rows }: { readonly rows: readonly VectorRow[] }): readonly VectorHit[] {
  return rows.map(({ unit_id, similarity }) => ({ unitId: unit_id, similarity })).toSorted((x, y) => y.similarity - x.similarity);
}

export function tableOf({ id }: VectorModel): string {
  return `retrieval_vector_${Number(id)}`;
}

export function literal(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Math.fround(value).toPrecision(6)).join(',')}]`;
}
