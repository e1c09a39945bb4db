import type { Nodes, Root } from 'mdast';
import type { ReportText } from './fonts/typeset.js';

/** The text of a report by the weight that it is set in: titles, headings and the first row of a table are bold. */
export function reportText(title: string, root: Root): ReportText {
  const text = { regular: '', bold: `${title}\n` };
  const look = (node: Nodes, isBold: boolean): void => {
    const own = 'value' in node ? node.value : 'label' in node ? (node.label ?? '') : '';
    // Apart, so that the parts do not join into other characters.
    text[isBold ? 'bold' : 'regular'] += `${own}\n`;
    if (node.type === 'footnoteDefinition') text.bold += `${own}\n`;
    if (!('children' in node)) return;
    const isStrong = isBold || node.type === 'heading' || node.type === 'strong';
    for (const [index, child] of node.children.entries()) look(child, isStrong || (node.type === 'table' && index === 0));
  };
  look(root, false);
  return text;
}
