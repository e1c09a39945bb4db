// Definitions that have broken lists of others, each of a report: what one tool says may cost nobody else the list.
import { condition, rawTool } from '../reports/raw-server.js';

const word = { type: 'string' };
const node = { type: 'object', properties: { name: word, kids: { type: 'array', items: { $ref: '#/$defs/node' } } } };

export const hardTools: readonly object[] = [
  rawTool('plain', { type: 'object', properties: { word }, required: ['word'] }),
  rawTool('tree', { type: 'object', properties: { root: { $ref: '#/$defs/node' } }, $defs: { node } }),
  rawTool('tree_out', { type: 'object' }, { outputSchema: { ...node, $defs: { node } } }),
  rawTool('either', { type: 'object', properties: { a: word, b: word }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  rawTool('union', {
    type: 'object',
    anyOf: [
      { type: 'object', properties: { a: word } },
      { type: 'object', properties: { b: word } },
    ],
  }),
  rawTool('condition', { type: 'object', properties: { a: word, b: word }, ...condition }),
  rawTool('inner_ref', { type: 'object', properties: { from: word, to: { $ref: '#/properties/from' } } }),
  rawTool('anchor', { type: 'object', properties: { a: { $ref: '#here' } }, $defs: { x: { $anchor: 'here', type: 'string' } } }),
  rawTool('map', { type: 'object', additionalProperties: word }),
  rawTool('untyped_list', { type: 'object', properties: { list: { type: 'array' } } }),
  rawTool('tuple', { type: 'object', properties: { pair: { type: 'array', prefixItems: [word, { type: 'integer' }] } } }),
  rawTool('odd_names', { type: 'object', properties: { 'a.b': word, 名: word, $top: word, 'x y': word } }),
  rawTool('calendar.respond', { type: 'object', properties: {} }),
  rawTool('with space', { type: 'object', properties: {} }),
  rawTool('名字', { type: 'object', properties: {} }),
  rawTool('x'.repeat(90), { type: 'object', properties: {} }),
  { ...rawTool('long', { type: 'object', properties: {} }), description: 'Salt raises the blood pressure. '.repeat(110) },
  rawTool('bad_default', { type: 'object', properties: { n: { type: 'integer', default: null } } }),
  rawTool('big_number', { type: 'object', properties: { n: { type: 'integer', maximum: 18_446_744_073_709_552_000 } } }),
  rawTool('old_draft', {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    properties: { n: { minimum: 0, exclusiveMinimum: true } },
  }),
];
