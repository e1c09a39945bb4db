import { estimateTokens, renderView, rootId } from '#lib/contracts';
import { fitToBudget } from '../canvas/fit-to-budget.js';
import { walkShown, layOutView } from '../canvas/layout.js';
import { renderCanvas } from '../canvas/render.js';
import { NodeTexts } from '../nodes/node-text.js';
import { readOperation } from '../operation.js';
import { Rejection } from '../rejection.js';
import { View } from '../views.js';

export const handleRenderView = readOperation(renderView, async ({ viewName, nodeId, maxTokens }, { database, scope, reader }) => {
  const topId = nodeId ?? rootId;
  const top = await layOutView(reader, new View(database, scope.sessionId, viewName), topId);
  if (!top) throw new Rejection('NODE_NOT_FOUND', `There is no node '${topId}'`);
  // Summaries are short and are read for their cost. The cost of content is stored, so content that will be folded is not read.
  const unfolded = [...walkShown(top)].filter(({ level }) => level !== 'Title');
  const short = await NodeTexts.load(
    reader,
    unfolded.flatMap(({ node }) => [
      { node, level: 'Summary' as const },
      { node, level: 'Brief' as const },
    ]),
  );
  const fitted = fitToBudget(
    top,
    ({ node }) => ({
      Brief: estimateTokens(short.at(node, 'Brief').text),
      Summary: Math.min(node.detailTokens, estimateTokens(short.at(node, 'Summary').text)),
      Detail: node.detailTokens,
    }),
    maxTokens,
  );
  const detailed = unfolded.filter(({ node }) => fitted.levels.get(node.nodeId) === 'Detail' && fitted.listed.has(node.nodeId));
  const [details, counts] = await Promise.all([
    NodeTexts.load(
      reader,
      detailed.map(({ node }) => ({ node, level: 'Detail' as const })),
    ),
    reader.childCounts([...fitted.listed]),
  ]);
  const { markdown, expandedNodes, shownNodes } = renderCanvas(top, fitted, {
    textOf: ({ node }, level) => (level === 'Detail' ? details : short).at(node, level).text,
    childCountOf: (id) => counts.get(id) ?? 0,
  });
  return {
    data: { markdown, tokens: estimateTokens(markdown), expandedNodes, shownNodes, foldedToFit: [...fitted.lowered] },
    message: `The view '${viewName}' shows ${shownNodes} nodes`,
    warnings: fitted.lowered.length > 0 ? [`${fitted.lowered.length} nodes are folded to fit ${maxTokens} tokens`] : [],
  };
});
