// Files in a message of the AI SDK: texts are read into the message, and of all others the model is told that they were not.
import { z } from 'zod';

const filePart = z.looseObject({
  type: z.literal('file'),
  url: z.string(),
  mediaType: z.string().max(200).catch('unknown'),
  filename: z.string().catch('file'),
});
const textTypes = /^(text\/[\w.+-]+|application\/([\w.+-]+\+)?(json|xml|yaml|x-yaml|toml|javascript|sql|csv|x-ndjson|ndjson|markdown))$/i;
const dataUrl = /^data:[^,]*?(;base64)?,/i;
const maxNameCharacters = 120;

export interface AttachedFile {
  /** As it is shown: quoted, without line breaks. */
  readonly name: string;
  readonly mediaType: string;
  /** Null for a file that is not read here: no text, or not sent with the message. */
  readonly text: string | null;
}

/** The files among the parts of a message. Parts of other kinds are passed over. */
export function attachedFiles(parts: readonly unknown[]): readonly AttachedFile[] {
  return parts.flatMap((part) => {
    const file = filePart.safeParse(part);
    if (!file.success) return [];
    const { url, mediaType, filename } = file.data;
    const [type = ''] = mediaType.split(';');
    const name = JSON.stringify(filename.slice(0, maxNameCharacters).toWellFormed());
    return [{ name, mediaType: type.trim(), text: textTypes.test(type.trim()) ? textIn(url) : null }];
  });
}

/** The message as a model reads it, with its files behind it. */
export function withFiles(message: string, files: readonly AttachedFile[]): string {
  const told = files.map(({ name, mediaType, text }) =>
    text === null
      ? `(The user attached the file ${name}, ${mediaType}. It was not read: text files alone are read here. Say so.)`
      : `(The user attached the file ${name}, ${mediaType}:)\n${text}`,
  );
  return [...(message.trim() === '' ? [] : [message]), ...told].join('\n\n');
}

/** Null for what is no text in UTF-8 that was sent with the message. */
function textIn(url: string): string | null {
  const [head = '', base64] = dataUrl.exec(url) ?? [];
  if (head === '') return null;
  const body = url.slice(head.length);
  try {
    const bytes = base64 === undefined ? Buffer.from(decodeURIComponent(body)) : Buffer.from(body, 'base64');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
