export const help = `Imports documents into a collection, so that they can be searched, cited and read.

  npm run knowledge:import -- <file|folder|glob>… --collection <name> [options]

  --collection <name>  health, stripe-onboarding, documents or any other: lower-case letters, digits, hyphens
  --tenant <name>      whose collection it is (default: demo)
  --shared             a collection that every tenant sees
  --prune              remove documents of the collection that this import does not name
  --help               show this text

Formats: Markdown (.md; YAML front matter with title, title_en, domain, type, tags, source_url, repo_path, source, updated is
used), HTML, plain text, PDF with text in it, JSONL (one document a line: id, title, text, url, and the front matter's fields).
A heading begins a section. A quotation right under a heading may say more about the section:

  > **English title.** Summary in a sentence or two.
  > **Key terms:** term, term, 术语
  > **Source:** organisation, document, year, https://…

Running again is safe and quick: what is unchanged is not analysed or embedded again, what has gone from a document disappears.
An interrupted import is gone on with by the same command. Files that cannot be read (broken PDF, another encoding than UTF-8,
more than 20 MB) are skipped and named; addresses of private networks are taken out.

Database: DATABASE_URL, else the one in .data/dev.env that npm start wrote; REDIS_URL likewise, whose cached citations end. Embeddings: the EMBEDDING_* settings of .env.example.
Exit code: 0 all imported, 1 something skipped or failed, 2 wrong usage, 130 interrupted.
`;
