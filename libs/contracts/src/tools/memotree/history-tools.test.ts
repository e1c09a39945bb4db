import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { testErrors, testParameters } from '../../test-parameters.js';
import { anyText } from '../../test-texts.js';
import { validateInput } from '../../validate.js';
import { collapseNode } from './collapse-node.js';
import { commitChanges } from './commit-changes.js';
import { createBranch } from './create-branch.js';
import { createNode } from './create-node.js';
import { diffCommits } from './diff-commits.js';
import { discardChanges } from './discard-changes.js';
import { expandNode } from './expand-node.js';
import { exportMarkdown } from './export-markdown.js';
import { text } from './fields.js';
import { importMarkdown } from './import-markdown.js';
import { listBranches } from './list-branches.js';
import { listChanges } from './list-changes.js';
import { listCommits } from './list-commits.js';
import { memotreeTool } from './memotree-tool.js';
import { mergeBranch } from './merge-branch.js';
import { renderView } from './render-view.js';
import { searchNodes } from './search-nodes.js';
import { switchBranch } from './switch-branch.js';
import {
  branch,
  commitMessage,
  commitRef,
  count,
  flag,
  nodeId,
  optional,
  required,
  textCases,
  viewName,
  wordCases,
  workspace,
} from './test-fields.js';
import { lodLevels, memotreeLimits as limits, nodeTypes, relationTypes, searchScopes, searchTypes } from './vocabulary.js';

const id = '3fa4c1d20b7e';
const ids = {
  byDefault: undefined,
  takes: [[], [id], Array.from({ length: 1_000 }, () => id)],
  refuses: [
    [Array.from({ length: 1_001 }, () => id), 'must have at most 1000 items'],
    [id, 'must be array, not string'],
  ],
  query: [['root,a', ['root', 'a']]],
} as const;

testParameters(expandNode, {
  good: { nodeId: 'root' },
  fields: {
    workspace,
    viewName,
    nodeId: required(nodeId),
    level: wordCases(lodLevels, 'Detail'),
    includeChildren: flag(false),
    includeRelations: flag(false),
  },
});
testParameters(collapseNode, {
  good: { nodeId: 'root' },
  fields: { workspace, viewName, nodeId: required(nodeId), recursive: flag(false) },
});
testParameters(renderView, {
  good: {},
  fields: { workspace, viewName, nodeId: optional(nodeId), maxTokens: count(100, 100_000, limits.renderTokens) },
});

testParameters(searchNodes, {
  good: { query: 'retry' },
  fields: {
    workspace,
    viewName,
    query: textCases(1_000, ''),
    searchType: wordCases(searchTypes, 'FullText'),
    // More than the most is capped by the handler, with a warning (C-76).
    maxResults: {
      byDefault: 10,
      takes: [1, 50, 51, 1_000_000],
      refuses: [
        [0, 'must be at least 1'],
        [-1, 'must be at least 1'],
        [1.5, 'must be integer, not number'],
      ],
    },
    nodeTypes: {
      byDefault: undefined,
      takes: [[], ['Concept'], Array.from({ length: 20 }, () => 'Plan')],
      takesAs: [
        [
          ['concept', 1, '4'],
          ['Concept', 'Memory', 'Code'],
        ],
      ],
      refuses: [
        [Array.from({ length: 21 }, () => 'Plan'), 'must have at most 20 items'],
        [['Idea'], `Parameter 'nodeTypes.0' must be one of [${nodeTypes.join(', ')}]`],
      ],
    },
    tags: {
      byDefault: undefined,
      takes: [[], ['queue']],
      refuses: [
        [Array.from({ length: limits.tags + 1 }, () => 't'), `must have at most ${limits.tags} items`],
        [['\0'], 'must be text: without the character U+0000 and without halves of surrogate pairs'],
      ],
    },
    scope: wordCases(searchScopes, 'All'),
    scopeNodeId: optional(nodeId),
    relationTypes: {
      byDefault: undefined,
      takes: [[], [...relationTypes]],
      refuses: [[Array.from({ length: 11 }, () => 'Extends'), 'must have at most 10 items']],
    },
    maxHops: count(1, limits.hops, 1),
    includePreview: flag(true),
    previewLength: count(0, limits.previewChars, 200),
  },
});

const badTag = 'must have at most 100 letters, digits or _ . / -';

testParameters(commitChanges, {
  good: {},
  fields: {
    workspace,
    message: textCases(limits.messageChars, ''),
    specificNodes: ids,
    createTag: flag(false),
    tagName: {
      byDefault: undefined,
      takes: ['', 'v1.0', '版本/一', 'a'.repeat(100)],
      refuses: [
        ['a b', badTag],
        ['a'.repeat(101), badTag],
        ['a\0', badTag],
      ],
    },
    author: {
      byDefault: undefined,
      takesAs: [
        [{}, { name: '', email: '' }],
        [
          { name: '甲', email: 'a@example.com', timestamp: '2026-11-21T12:00:00+08:00' },
          { name: '甲', email: 'a@example.com', timestamp: '2026-11-21T12:00:00+08:00' },
        ],
      ],
      refuses: [
        ['me', 'must be object, not string'],
        [{ name: 'a'.repeat(201) }, "Parameter 'author.name' must have at most 200 characters"],
        [{ email: 'not an address' }, "Validation error: Parameter 'author.email' is not valid (email)"],
        [{ timestamp: '2026-11-21' }, "Validation error: Parameter 'author.timestamp' is not valid (datetime)"],
        [{ role: 'admin' }, 'Unexpected parameter: author.role'],
      ],
    },
  },
});

testParameters(discardChanges, { good: {}, fields: { workspace, specificNodes: ids } });
testParameters(listChanges, { good: {}, fields: { workspace, maxResults: count(1, 1_000, 100) } });
testParameters(listCommits, {
  good: {},
  fields: {
    workspace,
    branch: optional(branch),
    nodeId: optional(nodeId),
    before: { byDefault: undefined, takes: ['', '5d41402'], refuses: [['a'.repeat(101), 'must have at most 100 characters']] },
    maxResults: count(1, 100, 20),
  },
});
testParameters(diffCommits, {
  good: { from: 'v1' },
  fields: { workspace, from: required(commitRef), to: optional(commitRef), nodeId: optional(nodeId), maxResults: count(1, 1_000, 100) },
});

testParameters(createBranch, {
  good: { name: 'draft' },
  fields: { workspace, name: required(branch), from: optional(commitRef), switchTo: flag(false) },
});
testParameters(switchBranch, { good: { name: 'draft' }, fields: { workspace, name: required(branch) } });
testParameters(mergeBranch, {
  good: { source: 'draft' },
  fields: {
    workspace,
    source: required(branch),
    message: textCases(limits.messageChars, ''),
    prefer: wordCases(['Neither', 'Ours', 'Theirs'], 'Neither'),
    dryRun: flag(false),
  },
});
testParameters(listBranches, { good: {}, fields: { workspace } });

const badPath = 'must be a relative path with / that ends in .md';
const markdown = { path: 'a.md', text: '# A' };

testParameters(importMarkdown, {
  good: { files: [markdown] },
  fields: {
    workspace,
    parentId: optional(nodeId),
    files: {
      required: true,
      takes: [[markdown], [{ path: 'vault/子/Note.MD', text: '' }], [{ path: '.hidden/a.md', text: '' }], [{ path: 'a..b.md', text: '' }]],
      refuses: [
        [[], 'must have at least 1 item'],
        [Array.from({ length: 1_001 }, () => markdown), 'must have at most 1000 items'],
        ...['../a.md', 'a/../b.md', './a.md', '/etc/a.md', 'a\\b.md', 'a.txt', '.md', 'a/./b.md', 'a\0.md'].map(
          (path) => [[{ path, text: '' }], badPath] as const,
        ),
        [[{ path: 'a.md' }], 'Missing required parameter: files.0.text'],
      ],
    },
    headings: flag(true),
    commitMessage,
  },
});
testParameters(exportMarkdown, {
  good: {},
  fields: {
    workspace,
    nodeId: optional(nodeId),
    at: optional(commitRef),
    cursor: { byDefault: undefined, takes: ['', 'c'.repeat(2_000)], refuses: [['c'.repeat(2_001), 'must have at most 2000 characters']] },
  },
});

testErrors(createNode, {
  refusals: { INVALID_PARAMS: 'INVALID_PARAMS', PERMISSION_DENIED: 'PERMISSION_DENIED', QUOTA_EXCEEDED: undefined },
  failures: {
    network: 'STORAGE_ERROR',
    timeout: 'TIMEOUT',
    'rate-limit': 'STORAGE_ERROR',
    service: 'STORAGE_ERROR',
    internal: 'EXECUTION_ERROR',
  },
});

describe('what all MemoTree operations share', () => {
  test('is their version, their domain, and the names of their source document', () => {
    expect(createNode).toMatchObject({
      version: '1.0.0',
      domain: 'memotree',
      aliases: ['CreateNode', 'CreateNodeAsync'],
      timeoutMs: 20_000,
    });
    const { input, output, examples } = createNode;
    const given = {
      name: 'do_this_thing',
      title: 'T',
      description: 'D',
      effect: 'read',
      input,
      output,
      examples,
      estimatedTokens: 1,
    } as const;
    expect(memotreeTool({ ...given, timeoutMs: 5 })).toMatchObject({
      aliases: ['DoThisThing', 'DoThisThingAsync'],
      timeoutMs: 5,
    });
  });

  test('is that names of parameters are read in camelCase, PascalCase and snake_case', () => {
    const expected = validateInput(createNode, { title: 'a', parentId: 'root', initialLevel: 'Brief' });
    expect(validateInput(createNode, { Title: 'a', ParentId: 'root', InitialLevel: 'brief' })).toEqual(expected);
    expect(validateInput(createNode, { title: 'a', parent_id: 'root', initial_level: 1 })).toEqual(expected);
    expect(() => validateInput(createNode, { title: 'a', Title: 'b' })).toThrow('Unexpected parameter: Title');
  });
});

test('a text is counted in code points and never holds what a database cannot keep', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), fc.integer({ min: 0, max: 40 }), (value, most) => {
      const fits = Array.from(value).length <= most && !value.includes('\0') && value.isWellFormed();
      expect(text(most).safeParse(value).success).toBe(fits);
    }),
  );
});
