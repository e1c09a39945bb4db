// The system prompt: core, the list of skills, the skills in use, and facts about the user. It has at most 5,000 tokens (VL-37): facts
// are cut first, then skills; core is never cut.
import { estimateTokens } from '#lib/contracts';
import { coreSkill, type Skill, type SkillSet } from './skill-library.js';

export const promptTokens = 5_000;

interface TaggedFacts {
  /** The tag around them. */
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface PromptOptions {
  /** Default true. */
  readonly includeCore?: boolean;
  /** Whether the model learns which skills there are. Default true. */
  readonly includeList?: boolean;
  /** What is known of the user, most important first. Empty ones are left out. */
  readonly facts?: readonly TaggedFacts[];
  /** A last instruction, which is never cut. */
  readonly task?: string;
}

/** The named skills and those that they require, each once, in order. Unknown names are left out. */
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

/** @param names the skills in use */
export function buildSystemPrompt(set: SkillSet, names: readonly string[], options: PromptOptions = {}): string {
  const { includeCore = true, includeList = true, facts = [], task = '' } = options;
  const core = includeCore ? (set.skills.get(coreSkill)?.body ?? '') : '';
  const list = includeList ? listOf(set) : '';
  const compose = (...parts: readonly string[]) => [core, list, ...parts, task].filter(Boolean).join('\n\n');
  const fits = (...parts: readonly string[]) => estimateTokens(compose(...parts)) <= promptTokens;
  const skills: string[] = [];
  for (const skill of withRequired(set, names)) skills.push(...cutToFit(textOf(skill), (part) => fits(...skills, part)));
  return compose(...skills, ...cutFacts(facts, (parts) => fits(...skills, ...parts)));
}

function textOf({ name, body, files }: Skill): string {
  const more = files.length > 0 ? `\n\n参考文件（用 read_skill_file 读取）: ${files.join(', ')}` : '';
  return `<skill name="${name}">\n${body}${more}\n</skill>`;
}

/** One line for each skill, by which the model chooses. */
function listOf(set: SkillSet): string {
  const lines = [...set.skills.values()]
    .filter(({ name }) => name !== coreSkill)
    .map(({ name, description }) => `- ${name}: ${description}`);
  return lines.length > 0 ? `## 可用技能\n${lines.join('\n')}` : '';
}

/** The text of a skill, or its first paragraphs if only they fit; nothing when not even the first one does. */
function cutToFit(text: string, fits: (part: string) => boolean): readonly string[] {
  if (fits(text)) return [text];
  const paragraphs = text.split('\n\n');
  while (paragraphs.pop() !== undefined && paragraphs.length > 0) {
    const part = `${paragraphs.join('\n\n')}\n</skill>`;
    if (fits(part)) return [part];
  }
  return [];
}

/** The facts, without as many of the last fields as is needed. */
function cutFacts(facts: readonly TaggedFacts[], fits: (parts: readonly string[]) => boolean): readonly string[] {
  const fields = facts.flatMap(({ title, data }) => Object.entries(data).map(([name, value]) => ({ title, name, value })));
  for (let count = fields.length; count > 0; count--) {
    const byTitle = Map.groupBy(fields.slice(0, count), ({ title }) => title);
    const parts = [...byTitle].map(([title, kept]) => {
      const data = Object.fromEntries(kept.map(({ name, value }) => [name, value]));
      return `<${title}>\n${toPromptData(data)}\n</${title}>`;
    });
    if (fits(parts)) return parts;
  }
  return [];
}

/** JSON that cannot close the tag around it. */
export function toPromptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
