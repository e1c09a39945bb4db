// Parameters and answers of operations on one node. The batch operations use them for their items.
import { z } from 'zod';
import { commitMessage, content, freshnessOut, level, nodeFactsOut, nodeId, nodeType, tags, title, updateMode } from './fields.js';
import { lodLevels } from './vocabulary.js';

export const newNode = {
  parentId: nodeId().optional().describe('Parent; the root when absent.'),
  beforeId: nodeId().optional().describe('Sibling to stand before; last when absent.'),
  type: nodeType().default('Concept').describe('Concept, Memory, Plan, Reference or Code.'),
  title: title().default(''),
  content: content().default(''),
  tags: tags().default([]).describe('At most 20, each at most 50 characters.'),
  commitMessage: commitMessage(),
  initialLevel: level().default('Summary').describe('How it stands in the view `default` at first.'),
  autoGenerateSummary: z.boolean().default(true).describe('Make a summary of long content in the background.'),
};

export const createdOut = z.object({ ...nodeFactsOut, level: z.enum(lodLevels), freshness: freshnessOut });

/** The update of one node. A field that is absent or null stays unchanged. */
export const nodeUpdate = {
  nodeId: nodeId().describe('Node to update.'),
  level: level().optional().describe('Which layer `content` is; Detail when absent. Without content: the level in the view `default`.'),
  content: content().optional().describe('Markdown for the layer that `level` names.'),
  title: title().optional().describe('New title of the node.'),
  type: nodeType().optional().describe('New type: Concept, Memory, Plan, Reference or Code.'),
  tags: tags().optional().describe('United with the present ones under Merge, Append and Prepend; instead of them under Replace.'),
  commitMessage: commitMessage(),
  regenerateSummary: z.boolean().default(false).describe('Make the summary anew from the content.'),
  mode: updateMode().default('Merge').describe('Merge (by Markdown heading), Replace, Append or Prepend.'),
};

export const updatedOut = z.object({
  ...nodeFactsOut,
  changed: z.array(z.string()).describe('Fields that are different now.'),
  freshness: freshnessOut,
});

export const nodeDeletion = {
  nodeId: nodeId().describe('Node to delete.'),
  recursive: z.boolean().default(false).describe('Delete what is below it too; without it a node with children is refused.'),
  commitMessage: commitMessage(),
};

export const deletedOut = z.object({ nodeId: z.string(), deleted: z.boolean() });
