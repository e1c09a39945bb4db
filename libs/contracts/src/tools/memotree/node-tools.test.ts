import { describe, expect, test } from '@jest/globals';
import type { ToolContract } from '../../define-tool.js';
import { redact } from '../../derive/redaction.js';
import { refusalOf, testParameters } from '../../test-parameters.js';
import { validateInput } from '../../validate.js';
import { batchCreateNodes } from './batch-create-nodes.js';
import { batchDeleteNodes } from './batch-delete-nodes.js';
import { batchUpdateNodes } from './batch-update-nodes.js';
import { createNode } from './create-node.js';
import { deleteNode } from './delete-node.js';
import { linkNodes } from './link-nodes.js';
import { moveNode } from './move-node.js';
import { restoreNode } from './restore-node.js';
import { commitMessage, commitRef, flag, nodeId, optional, required, tags, textCases, wordCases, workspace } from './test-fields.js';
import { unlinkNodes } from './unlink-nodes.js';
import { updateNode } from './update-node.js';
import { lodLevels, memotreeLimits as limits, nodeTypes, relationTypes, updateModes } from './vocabulary.js';

const id = '3fa4c1d20b7e';
const content = {
  takes: ['', '# 标题\n\n[[3fa4c1d20b7e]]', 'a'.repeat(limits.contentChars)],
  refuses: [
    ['a'.repeat(limits.contentChars + 1), `must have at most ${limits.contentChars} characters`],
    ['a\0', 'must be text: without the character U+0000 and without halves of surrogate pairs'],
    [['text'], 'must be string, not array'],
  ],
} as const;

testParameters(createNode, {
  good: {},
  fields: {
    workspace,
    parentId: optional(nodeId),
    beforeId: optional(nodeId),
    type: wordCases(nodeTypes, 'Concept'),
    title: textCases(limits.titleChars, ''),
    content: { ...content, byDefault: '' },
    tags: { ...tags, byDefault: [] },
    commitMessage,
    initialLevel: wordCases(lodLevels, 'Summary'),
    autoGenerateSummary: flag(true),
  },
});

testParameters(updateNode, {
  good: { nodeId: id },
  fields: {
    workspace,
    nodeId: required(nodeId),
    level: wordCases(lodLevels),
    content: optional(content),
    title: textCases(limits.titleChars),
    type: wordCases(nodeTypes),
    tags: optional(tags),
    commitMessage,
    regenerateSummary: flag(false),
    mode: wordCases(updateModes, 'Merge'),
  },
});

testParameters(deleteNode, {
  good: { nodeId: id },
  fields: { workspace, nodeId: required(nodeId), recursive: flag(false), commitMessage },
});

testParameters(moveNode, {
  good: { nodeId: id },
  fields: { workspace, nodeId: required(nodeId), parentId: optional(nodeId), beforeId: optional(nodeId), commitMessage },
});

testParameters(restoreNode, {
  good: { nodeId: id, from: 'v1' },
  fields: { workspace, nodeId: required(nodeId), from: required(commitRef), commitMessage },
});

testParameters(linkNodes, {
  good: { sourceId: id, targetId: 'root' },
  fields: {
    workspace,
    sourceId: required(nodeId),
    targetId: required(nodeId),
    type: wordCases(relationTypes, 'References'),
    description: textCases(limits.relationChars, ''),
    commitMessage,
  },
});

testParameters(unlinkNodes, {
  good: { sourceId: id, targetId: 'root' },
  fields: { workspace, sourceId: required(nodeId), targetId: required(nodeId), type: wordCases(relationTypes), commitMessage },
});

describe.each<[ToolContract, string, object, object]>([
  [
    batchCreateNodes,
    'nodes',
    { title: 'One' },
    { type: 'Concept', title: 'One', content: '', tags: [], commitMessage: '', initialLevel: 'Summary', autoGenerateSummary: true },
  ],
  [batchUpdateNodes, 'updates', { nodeId: id }, { nodeId: id, commitMessage: '', regenerateSummary: false, mode: 'Merge' }],
  [batchDeleteNodes, 'nodes', { nodeId: id }, { nodeId: id, recursive: false, commitMessage: '' }],
])('the items of $name', (...[contract, name, item, parsed]) => {
  test('are 1 to 50, each as in the operation on one node', () => {
    expect(validateInput(contract, { [name]: [item] })).toEqual({ [name]: [parsed], atomic: true });
    expect(() => validateInput(contract, { [name]: Array.from({ length: limits.batch }, () => item) })).not.toThrow();
    expect(refusalOf(contract, { [name]: Array.from({ length: limits.batch + 1 }, () => item) }).message).toMatch(
      `must have at most ${limits.batch} items`,
    );
    expect(refusalOf(contract, { [name]: [] }).message).toMatch('must have at least 1 item');
    expect(refusalOf(contract, {}).message).toBe(`Missing required parameter: ${name}`);
  });

  test('are named by their place where one is wrong', () => {
    const { details } = refusalOf(contract, { [name]: [item, { ...item, stranger: 1 }, { ...item, commitMessage: 5 }] });
    expect(details).toEqual([
      { path: `${name}.1.stranger`, message: `Unexpected parameter: ${name}.1.stranger` },
      { path: `${name}.2.commitMessage`, message: `Parameter '${name}.2.commitMessage' must be string, not number` },
    ]);
  });

  test('may be spelled in other cases too, at their depth (C-65)', () => {
    const pascal = Object.fromEntries(Object.entries(item).map(([key, value]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, value]));
    expect(validateInput(contract, { [`${name.charAt(0).toUpperCase()}${name.slice(1)}`]: [pascal], Atomic: false })).toEqual({
      [name]: [parsed],
      atomic: false,
    });
  });
});

test('older and newer names of a level are read as ours', () => {
  for (const [given, level] of [
    ['Gist', 'Brief'],
    ['gist', 'Brief'],
    ['FULL', 'Detail'],
    [0, 'Title'],
    ['3', 'Detail'],
  ])
    expect(validateInput(updateNode, { nodeId: id, level: given })).toMatchObject({ level });
});

test('what a node says is shown in no log, its place in the tree is', () => {
  const given = { parentId: 'root', title: '密', content: '密', tags: ['work'], commitMessage: '密' };
  expect(redact(createNode.input, 'input', given)).toEqual({
    parentId: 'root',
    title: '[redacted]',
    content: '[redacted]',
    tags: ['work'],
    commitMessage: '[redacted]',
  });
});
