// Words that say nothing about what a text is about. English: Lucene's list, which reference systems use too.
const english =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';
/** Words that questions are made of. They stand in texts too, so they count a little, not nothing. */
const questioning =
  'how what when where which who whom whose why do does did can could should would may might must i me my we our you your he she his her its am been being have has had much many more most some any per while from about after before just than too very get got need want';
const chinese =
  '的 了 是 在 和 与 或 我 你 他 她 它 们 这 那 有 就 都 也 很 吗 呢 吧 啊 么 个 之 及 被 把 对 从 到 为 以 而 其 要 会 能 可 应 该 请 问';

export const stopWords: ReadonlySet<string> = new Set([...english.split(' '), ...chinese.split(' ')]);
export const questionWords: ReadonlySet<string> = new Set(questioning.split(' '));
/** Pairs and words that ask or bind, in the form in which Chinese questions use them. */
export const chineseFillers: ReadonlySet<string> = new Set(
  '什么 怎么 怎样 如何 为什 为何 是否 可以 应该 多少 哪些 哪个 一个 这个 那个 我们 你们 他们 它们 以及 或者 因为 所以 如果 但是 就是 还是 需要 有什 么样 么办 什么样 怎么办 为什么 能不能 是不是 有没有 可不可以 请问 一下 我的 你的'.split(
    ' ',
  ),
);
