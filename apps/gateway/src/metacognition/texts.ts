// The texts of an answer, as words that can be compared with a question.

/** Every text and number in an answer, with the name of its field. At most 2,000, and 200 items of each list. */
export function textsIn(data: unknown): readonly { readonly field: string; readonly text: string }[] {
  const found: { field: string; text: string }[] = [];
  const queue: { field: string; value: unknown }[] = [{ field: '', value: data }];
  for (let next = queue.shift(); next && found.length < 2_000; next = queue.shift()) {
    const { field, value } = next;
    if (typeof value === 'string' || typeof value === 'number') found.push({ field, text: String(value) });
    else if (Array.isArray(value)) queue.push(...value.slice(0, 200).map((item: unknown) => ({ field, value: item })));
    else if (typeof value === 'object' && value !== null)
      queue.push(...Object.entries(value).map(([key, item]) => ({ field: key, value: item })));
  }
  return found;
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
/** Words that say nothing about what is asked. */
const stopWords = new Set(
  'a an and are at by do does for from how i in is it me my of on or please tell that the this to was what when where which who why with you 的 了 吗 呢 是 在 我 你 和 与 请 什么 怎么 如何 哪些 为什么 怎样 一下'.split(
    ' ',
  ),
);

/** The words of a text in lower case, without stop words. Long English words are cut to five letters, so that forms of a word match. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(text.slice(0, 20_000))) {
    const word = segment.toLowerCase();
    if (isWordLike && !stopWords.has(word)) words.add(/^[a-z]{6,}$/.test(word) ? word.slice(0, 5) : word);
  }
  return words;
}

/** The share of the question's words that the answer contains, 0–1. 1 for a question without words. */
export function overlap(question: string, answer: string): number {
  const asked = wordsOf(question);
  if (asked.size === 0) return 1;
  const said = wordsOf(answer);
  const folded = answer.toLowerCase();
  const isSaid = (word: string): boolean => said.has(word) || (/\p{Script=Han}/u.test(word) && folded.includes(word));
  return [...asked].filter(isSaid).length / asked.size;
}
