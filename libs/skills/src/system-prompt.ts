// The system prompt: core, the list of skills, the chosen skills, what is known of the user. Bounded (VL-37): what is known
// of the user gives way first, then the skills; core never does.
import { estimateTokens } from '#lib/contracts';
import { coreSkill, type Skill, type SkillSet } from './skill-library.js';

export const promptTokens = 5_000;

interface PromptOptions {
  /** Default true. */
  readonly includeCore?: boolean;
  /** Whether the model is told which other skills there are. Default true. */
  readonly includeList?: boolean;
  /** What is known of the user, most important first. Empty ones are left out. */
  readonly facts?: readonly { readonly title: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** A last instruction that is always kept. */
  readonly task?: string;
}

/** The chosen skills and what they require, each once, in order. Unknown ones are left out. */
export function withRequired(set: SkillSet, names: readonly string[]): readonly Skill[] {
  const found = new Map<string, Skill>();
  const visit = (name: string): void => {
    const skill = set.skills.get(name);
    if (!skill || name === coreSkill || found.has(name)) return;
    found.set(name, skill);
    skill.requires.forEach(visit);
  };
  names.forEach(visit);
  return [...found.values()];
}

export function buildSystemPrompt(set: SkillSet, names: readonly string[], options: PromptOptions = {}): string {
  const { includeCore = true, includeList = true, facts = [], task = '' } = options;
  const core = includeCore ? (set.skills.get(coreSkill)?.body ?? '') : '';
  const list = includeList ? listOf(set) : '';
  const left = promptTokens - estimateTokens([core, list, task].join('\n\n'));
  const skills = within(withRequired(set, names).map(bodyOf), left);
  const known = factsWithin(facts, left - estimateTokens(skills.join('\n\n')));
  return [core, list, ...skills, ...known, task].filter(Boolean).join('\n\n');
}

function bodyOf({ name, body, files }: Skill): string {
  const more = files.length > 0 ? `\n\n参考文件（用 read_skill_file 读取）: ${files.join(', ')}` : '';
  return `<skill name="${name}">\n${body}${more}\n</skill>`;
}

/** First level: the model knows of every skill by one line. */
function listOf(set: SkillSet): string {
  const lines = [...set.skills.values()]
    .filter(({ name }) => name !== coreSkill)
    .map(({ name, description }) => `- ${name}: ${description}`);
  return lines.length > 0 ? `## 可用技能\n${lines.join('\n')}` : '';
}

/** As many whole parts as fit; the first that does not is cut at its paragraphs. */
function within(parts: readonly string[], budget: number): readonly string[] {
  const kept: string[] = [];
  let left = budget;
  for (const part of parts) {
    const tokens = estimateTokens(part);
    if (tokens <= left) kept.push(part);
    else {
      const paragraphs = part.split('\n\n');
      while (paragraphs.length > 0 && estimateTokens(paragraphs.join('\n\n')) > left - 10) paragraphs.pop();
      if (paragraphs.length > 0) kept.push(`${paragraphs.join('\n\n')}\n</skill>`);
    }
    left -= estimateTokens(kept.at(-1) ?? '');
  }
  return kept;
}

/** Facts are data about the user: fields are dropped from the end until they fit. */
function factsWithin(facts: PromptOptions['facts'] & object, budget: number): readonly string[] {
  const fields = facts.flatMap(({ title, data }) => Object.entries(data).map(([name, value]) => ({ title, name, value })));
  for (let count = fields.length; count > 0; count--) {
    const kept = Map.groupBy(fields.slice(0, count), ({ title }) => title);
    const text = [...kept].map(
      ([title, some]) => `<${title}>\n${asData(Object.fromEntries(some.map(({ name, value }) => [name, value])))}\n</${title}>`,
    );
    if (estimateTokens(text.join('\n\n')) <= budget) return text;
  }
  return [];
}

/** JSON that cannot close the tag around it. */
export function asData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
