// What a tool of MCP answered, read as it came: any shape that a server may give it after it has acted.
import { isJsonObject, addressHere, jsonIn } from '#lib/contracts';
import { truncateMessage, type UpstreamAnswer } from './upstream.js';

type Block = Readonly<Record<string, unknown>>;

/**
 * The structured content with the pictures and links beside it, otherwise the blocks. Links to its resources have the addresses under which
 * a client of ours reads them; texts stay as they are.
 */
export function answerOf(given: unknown, server: string): UpstreamAnswer {
  const result = isJsonObject(given) ? given : { content: given };
  const content = blocksOf(result['content']).map((block) => linkedHere(withBytes(block), server));
  if (result['isError'] === true || result['isError'] === 'true') {
    const text = content.flatMap(textOf).join('\n') || structuredText(result['structuredContent']);
    return { kind: 'refused', invalidParams: false, message: truncateMessage(text || 'The tool failed without a word') };
  }
  // The revision of 2024 had the second one in place of blocks.
  const structured = result['structuredContent'] ?? (content.length === 0 ? result['toolResult'] : null);
  if (structured === undefined || structured === null) return { kind: 'done', data: { content } };
  const data: Block = isJsonObject(structured) ? structured : { result: structured };
  // Texts say the same again, for clients that read no structured content.
  const others = content.filter(({ type }) => type !== 'text');
  return { kind: 'done', data: others.length > 0 && !('content' in data) ? { ...data, content: others } : data };
}

/** The object that the one text of an answer holds, for a tool that declared one and gave it as text alone; null where there is none. */
export function objectInText(data: unknown): Block | null {
  if (!isJsonObject(data) || Object.keys(data).length !== 1) return null;
  const blocks = Array.isArray(data['content']) ? data['content'].filter(isJsonObject) : [];
  const texts = blocks.flatMap(textOf);
  const [text] = texts;
  if (text === undefined || texts.length !== 1 || blocks.length !== 1) return null;
  const value = jsonIn(text);
  return isJsonObject(value) ? value : null;
}

/** Blocks, each with a type: what is none is given as text. */
function blocksOf(content: unknown): readonly Block[] {
  if (content === undefined || content === null) return [];
  return [content].flat().map((block: unknown): Block => {
    if (typeof block === 'string') return { type: 'text', text: block };
    if (!isJsonObject(block)) return { type: 'text', text: JSON.stringify(block) };
    if (typeof block['type'] === 'string') return block;
    return typeof block['text'] === 'string' ? { ...block, type: 'text' } : { type: 'text', text: JSON.stringify(block) };
  });
}

/** A block whose bytes are base64 as clients read it: one that is not costs them the whole answer. */
function withBytes(block: Block): Block {
  const { type, data, mimeType, resource } = block;
  if (type === 'resource') {
    if (!isJsonObject(resource) || typeof resource['blob'] !== 'string') return block;
    const blob = base64Of(resource['blob']);
    return blob === null ? unreadBytes(resource['mimeType']) : { ...block, resource: { ...resource, blob } };
  }
  if (type !== 'image' && type !== 'audio') return block;
  const [, named, written] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(typeof data === 'string' ? data : '') ?? [null, '', data];
  const bytes = base64Of(written);
  if (bytes === null) return unreadBytes(mimeType ?? type);
  return { ...block, data: bytes, ...(typeof mimeType !== 'string' && named !== '' && { mimeType: named }) };
}

function unreadBytes(type: unknown): Block {
  return { type: 'text', text: `[${typeof type === 'string' ? type : 'a file'} whose bytes cannot be read]` };
}

/** Base64 of RFC 4648, section 4, from any form of it: in lines, for addresses, without padding. Null for anything else. */
function base64Of(written: unknown): string | null {
  if (typeof written !== 'string') return null;
  const bare = /[\s_=-]/.test(written)
    ? written
        .replaceAll(/\s|=+\s*$/g, '')
        .replaceAll('-', '+')
        .replaceAll('_', '/')
    : written;
  if (!/^[A-Za-z0-9+/]*$/.test(bare) || bare.length % 4 === 1) return null;
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

function structuredText(structured: unknown): string {
  return structured === undefined || structured === null ? '' : JSON.stringify(structured);
}

/** Clients fetch these themselves, or show what came with them. */
const readElsewhere = /^(https?|data):/i;

function linkedHere(block: Block, server: string): Block {
  const here = <Link extends Block>(link: Link): Link => {
    const { uri } = link;
    return typeof uri === 'string' && uri !== '' && !readElsewhere.test(uri) ? { ...link, uri: addressHere(server, uri) } : link;
  };
  if (block['type'] === 'resource_link') return here(block);
  const { resource } = block;
  return block['type'] === 'resource' && isJsonObject(resource) ? { ...block, resource: here(resource) } : block;
}

function textOf({ type, text }: Block): readonly string[] {
  return type === 'text' && typeof text === 'string' ? [text] : [];
}
