// Words of everyday speech, by general frequency and not by any collection: a small collection holds few of them, so by its own
// counting they would pass for rare, and a question's "突然" or "three" would outweigh what it is about.
const english =
  'above across again ago all almost along already also although always among another anybody anyone anything anyway around away ' +
  'back bad because become begin behind believe below beside best better between beyond big both bring call came care case ' +
  'certain change check clear close come day decide different doing done down during each early easy either else end enough even ' +
  'ever every everyone everything exactly except fact far feel felt few find fine first five follow found four front full further ' +
  'gave general getting give given go goes going gone good great half happen hard hear help here high him hold hope hour hundred ' +
  'idea imagine important inside instead keep kept kind knew know land large last late later learn least leave left less let like ' +
  'likely line little live long look lose lot low made main make matter maybe mean means mind minute moment month morning mostly ' +
  'move name near nearly necessary never new next nice night none nor nothing notice now number off offer often ok okay old once ' +
  'one only open opposite order other others otherwise out outside over own part particular past pay people perhaps person piece ' +
  'place plan play please plus point possible probably problem proper put question quick quickly quite ran rather reach read ' +
  'ready real really reason recent related remember right run said same saw say says second see seem seen send sense set several ' +
  'shall short show side similar simple simply since single six slow small so somebody someone something sometimes somewhere soon ' +
  'sort sound stay step still stop story suddenly suggest suppose sure take taken talk tell ten thank them themselves thing ' +
  'things think third those though thought thousand three through throughout thus time times today together told tomorrow took ' +
  'top toward trouble true try trying turn twice two type under understand unless until up upon us use used useful using usual ' +
  'usually various version versus via view wait walk wanted way ways week well went were wide wish within without wonder word ' +
  'work worse worst worth write wrong yeah year years yes yesterday yet young';
const chinese =
  '一些 一定 一样 一点 一直 一般 一起 一边 三个 上午 上去 上面 下午 下去 下来 下面 不了 不会 不同 不多 不好 不是 不用 不能 不要 ' +
  '不过 东西 两个 为何 主要 之前 之后 事情 人家 今天 以前 以后 任何 会不 似乎 使用 全部 关于 其他 其实 决定 几个 几乎 几次 出来 ' +
  '出现 刚刚 别人 别的 到底 前面 办法 发现 变成 只是 只有 只要 可能 各种 后来 后面 听到 听说 告诉 哪儿 哪种 哪里 回来 地方 外面 ' +
  '多久 多长 大家 大概 好像 好几 完全 对于 属于 左右 差不多 已经 希望 帮我 应当 开始 当然 得了 得到 必须 怎办 总是 情况 想要 意思 ' +
  '感觉 成为 所有 拿到 方法 方面 旁边 早上 时候 明天 昨天 是不 晚上 更加 最好 最近 有些 有人 有时 有没 有点 来越 根据 正常 每个 ' +
  '每天 每次 比较 没有 然后 特别 现在 甚至 直接 看到 看看 看见 真的 知道 究竟 突然 经常 给我 老是 而且 能不 能够 自己 觉得 认为 ' +
  '说法 起来 越来 过去 过来 还有 这么 这些 这样 这种 进行 通过 那么 那些 那样 那种 部分 里面 重要 问题 除了 需不 非常 马上';
const characters =
  '不没还再又才只但却并且则若因所于由向往跟给让使叫做说看想去来过出上下里外前后中大小多少好坏快慢老新高低长短一二三四五六七八九十百千万两几些每各某点次回位种样件张条块行用开办算得着地像比最更太真挺别谁哪怎何此天人年月日时分家手事话己当成起完带找换放打拿收走跑坐站进入听见答写讲';

/** Whole words, lower case, and pairs of Chinese characters. */
export const commonWords: ReadonlySet<string> = new Set([...english.split(' '), ...chinese.split(' ')]);
/** Chinese characters that stand alone in any sentence. */
export const commonCharacters: ReadonlySet<string> = new Set(characters);
