// Real ONNX models of a few hundred bytes, for tests of what loads and runs models: each token has a row of numbers, and that is all.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Bytes = readonly number[];

/** One of protobuf's fields: a whole number, a text, or bytes. */
function field(number: number, value: number | string | Bytes): Bytes {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  const bytes = typeof value === 'string' ? [...Buffer.from(value)] : value;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

function varint(value: number): Bytes {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

const float = 1;
const int64 = 7;

/** A ValueInfoProto: a name, and the sizes of its dimensions, by name where they vary. */
function value(name: string, type: number, sizes: readonly (string | number)[]): Bytes {
  const shape = sizes.flatMap((size) => field(1, typeof size === 'number' ? field(1, size) : field(2, size)));
  return [...field(1, name), ...field(2, field(1, [...field(1, type), ...field(2, shape)]))];
}

/** A NodeProto of one output. */
function node(
  operator: string,
  { from, to }: { readonly from: readonly string[]; readonly to: string },
  attributes: readonly Bytes[] = [],
): Bytes {
  return [
    ...from.flatMap((input) => field(1, input)),
    ...field(2, to),
    ...field(4, operator),
    ...attributes.flatMap((one) => field(5, one)),
  ];
}

/** Gather: the row of each token; for a classifier their sum. */
function modelOf(rows: readonly (readonly number[])[], isClassifier: boolean): Uint8Array {
  const width = rows[0]?.length ?? 0;
  const table = [
    ...field(1, rows.length),
    ...field(1, width),
    ...field(2, float),
    ...field(8, 'rows'),
    ...field(9, [...new Uint8Array(Float32Array.from(rows.flat()).buffer)]),
  ];
  const sum = [
    [...field(1, 'axes'), ...field(8, 1), ...field(20, 7)],
    [...field(1, 'keepdims'), ...field(3, 0), ...field(20, 2)],
  ];
  const nodes = isClassifier
    ? [node('Gather', { from: ['rows', 'input_ids'], to: 'read' }), node('ReduceSum', { from: ['read'], to: 'logits' }, sum)]
    : [node('Gather', { from: ['rows', 'input_ids'], to: 'last_hidden_state' })];
  const graph = [
    ...nodes.flatMap((one) => field(1, one)),
    ...field(2, 'tiny'),
    ...field(5, table),
    ...field(11, value('input_ids', int64, ['batch', 'sequence'])),
    ...field(12, isClassifier ? value('logits', float, ['batch', width]) : value('last_hidden_state', float, ['batch', 'sequence', width])),
  ];
  return Uint8Array.from([...field(1, 7), ...field(7, graph), ...field(8, field(2, 11))]);
}

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];

/** Words and what each of them weighs; every word has the same number of weights. Of one weight, a classifier may be made. */
export type WordRows = Readonly<Record<string, readonly number[]>>;

/** Writes a model as the hub lays them out: quantised weights' name, configuration, tokenizer. @param folder `<model directory>/<name>` */
export function writeTinyModel(folder: string, words: WordRows, kind: 'embedder' | 'classifier'): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const width = Object.values(words)[0]?.length ?? 1;
  const vocabulary = [...special, ...Object.keys(words)];
  const rows = vocabulary.map((word) => words[word] ?? Array.from({ length: width }, () => 0));
  writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), modelOf(rows, kind === 'classifier'));
  const write = (file: string, content: unknown): void => writeFileSync(join(folder, file), JSON.stringify(content));
  const architecture = kind === 'classifier' ? 'BertForSequenceClassification' : 'BertModel';
  write('config.json', { model_type: 'bert', architectures: [architecture], hidden_size: width, vocab_size: vocabulary.length });
  write('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: 128, pad_token: '[PAD]', unk_token: '[UNK]' });
  const id = (token: string): number => vocabulary.indexOf(token);
  const piece = (kindOf: 'SpecialToken' | 'Sequence', of: string, type: number) => ({ [kindOf]: { id: of, type_id: type } });
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: id(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [piece('SpecialToken', '[CLS]', 0), piece('Sequence', 'A', 0), piece('SpecialToken', '[SEP]', 0)],
      pair: [
        piece('SpecialToken', '[CLS]', 0),
        piece('Sequence', 'A', 0),
        piece('SpecialToken', '[SEP]', 0),
        piece('Sequence', 'B', 1),
        piece('SpecialToken', '[SEP]', 1),
      ],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map((token) => [token, { id: token, ids: [id(token)], tokens: [token] }])),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, index) => [word, index])),
    },
  });
}
