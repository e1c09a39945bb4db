import { Client } from 'pg';
import { z } from 'zod';
import { Broken, must } from '#lib/testing';
import type { Place } from '../place.js';

const found = z.looseObject({ data: z.looseObject({ items: z.array(z.looseObject({ title: z.string(), snippet: z.string() })) }) });
const sections = z.array(z.object({ text: z.string() }));

/** Everything that is stored of a collection. */
export async function storedText({ databaseUrl }: Place, collection: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT concat_ws(E'\\n', d.title, s.title, s.title_en, s.summary, array_to_string(s.heading_path || s.key_terms, ' '), s.content) AS text
       FROM knowledge_section s JOIN knowledge_document d ON d.id = s.document_id JOIN knowledge_collection c ON c.id = d.collection_id
       WHERE c.name = $1`,
      [collection],
    );
    return sections
      .parse(rows)
      .map(({ text }) => text)
      .join('\n');
  } finally {
    await client.end();
  }
}

/** The first documents that are found for these words hold this title. */
export async function mustFind({ user }: Place, query: string, title: RegExp): Promise<void> {
  const reply = await user.post('/tools/search_documents', { query, limit: 5 });
  const parsed = found.safeParse(reply.body);
  if (!parsed.success) throw new Broken(`search_documents → ${reply.status} ${reply.text.slice(0, 300)}`);
  const titles = parsed.data.data.items.map((item) => item.title);
  must(
    titles.some((one) => title.test(one)),
    `"${query}" found ${titles.join('; ')}; expected ${String(title)}`,
  );
}
