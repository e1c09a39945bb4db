// The language of documents for readers outside of the project: plain words, active voice, short sentences. Code and tables are not read.
// Arguments: documents, and folders of documents. Prints each fault with its file and line; the exit code is 1 when there is one.
import { globSync, readFileSync, statSync } from 'node:fs';
import { search } from 'nlcst-search';
import { toString } from 'nlcst-to-string';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRetext from 'remark-retext';
import retextEnglish from 'retext-english';
import retextIndefiniteArticle from 'retext-indefinite-article';
import retextPassive from 'retext-passive';
import retextRepeatedWords from 'retext-repeated-words';
import retextSimplify from 'retext-simplify';
import { unified } from 'unified';
import { VFile } from 'vfile';

/** Words that say nothing, and what says it. */
const vocabulary = {
  'make use of': 'use',
  leverage: 'use',
  via: 'by, through',
  simply: 'nothing',
  easily: 'nothing',
  obviously: 'nothing',
  'of course': 'nothing',
  please: 'nothing',
  seamless: 'what it does',
  seamlessly: 'what it does',
  powerful: 'what it does',
  robustly: 'what it does',
  'state of the art': 'what it does',
  blazing: 'the figure',
  performant: 'fast, with the figure',
  'e.g.': 'such as',
  'i.e.': 'that is',
};
/** Words of the field, for which others would be wrong. `it is` is a fault only before `that`. */
const ours = [
  'address',
  'attempt',
  'effect',
  'forward',
  'function',
  'it is',
  'objective',
  'observe',
  'operate',
  'parameters',
  'request',
  'validate',
];
const mostWords = 35;

function plainWords() {
  return (tree, file) => {
    for (const [word, instead] of Object.entries(vocabulary))
      search(tree, [word], (nodes) => file.message(`"${toString(nodes)}": write ${instead}`, nodes[0]));
  };
}

function shortSentences() {
  return (tree, file) => {
    for (const sentence of sentencesIn(tree)) {
      // A colon and a semicolon end a thought too; a point is inside of a sentence when the next one begins with code.
      let words = 0;
      for (const node of sentence.children) {
        if (node.type === 'PunctuationNode' && /[.:;?!]/.test(toString(node))) words = 0;
        if (node.type === 'WordNode') words += 1;
        if (words === mostWords + 1 && node.type === 'WordNode') file.message(`more than ${mostWords} words in a sentence`, sentence);
      }
    }
  };
}

function sentencesIn(node) {
  return node.type === 'SentenceNode' ? [node] : (node.children ?? []).flatMap(sentencesIn);
}

const english = unified()
  .use(retextEnglish)
  .use(retextIndefiniteArticle)
  .use(retextPassive)
  .use(retextRepeatedWords)
  .use(retextSimplify, { ignore: ours })
  .use(plainWords)
  .use(shortSentences);

const documents = unified().use(remarkParse).use(remarkGfm).use(remarkRetext, english);

for (const place of process.argv.slice(2)) {
  for (const path of statSync(place).isDirectory() ? globSync(`${place}/**/*.md`).toSorted() : [place]) {
    const file = new VFile({ path, value: readFileSync(path, 'utf8') });
    await documents.run(documents.parse(file), file);
    for (const message of file.messages) {
      console.error(`${path}:${message.line}:${message.column}: ${message.reason}${message.actual ? ` (${message.actual})` : ''}`);
      process.exitCode = 1;
    }
  }
}
