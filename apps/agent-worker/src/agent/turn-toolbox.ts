// What one turn may do: which tools the model is shown, and how each of its calls is run (VL-14).
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { guestTools, toJsonSchema, type ChatMode, type ToolContract, type ToolDefinition } from '#lib/contracts';
import { buildSystemPrompt, coreSkill, withRequired, type SkillLibrary } from '#lib/skills';
import type { ModelCall } from '../model/call-model.js';
import type { Authority, GatewayClient } from '../gateway-client.js';
import type { AgentContext, Toolbox, ToolTurn } from './core-agent.js';
import type { LocalTools } from './local-tools.js';
import { chosenSkills, skillChoice } from './active-skills.js';
import { bounded, failedResult, unknownTool } from './tool-results.js';
import { searchIn, searchKnowledge, withoutCollections } from './skill-knowledge.js';
import type { Step } from './step.js';

type Result = Readonly<Record<string, unknown>>;

/** Always on offer, where they exist (VL-15). */
const builtIn = ['use_skill', searchKnowledge, 'show_report', 'show_insight'];

export interface ToolboxParts {
  readonly skills: SkillLibrary;
  readonly local: LocalTools;
  readonly gateway: GatewayClient;
  readonly authority: Authority;
  /** The longest that is waited for one tool, ms. */
  readonly toolMs: number;
  readonly mode: ChatMode;
  /** Runs several skills at once and gives what each found. */
  readonly analyse: (skills: readonly string[], topic: string, turn: ToolTurn) => Promise<readonly Result[]>;
  /** Told of what a chart was made from, to be known next time. */
  readonly learn: (skill: string, data: Readonly<Record<string, unknown>>) => void;
}

/** A tool as the model is shown it, and where it is run. */
interface Offered {
  readonly definition: Pick<ToolDefinition, 'name' | 'description' | 'parameters'>;
  readonly isReadOnly: boolean;
  readonly run: (call: ModelCall, turn: ToolTurn) => Promise<Result>;
}

export class TurnToolbox implements Toolbox {
  readonly #parts: ToolboxParts;
  #history: AgentContext['history'] = [];

  constructor(parts: ToolboxParts) {
    this.#parts = parts;
  }

  async systemPrompt(context: AgentContext, steps: readonly Step[]): Promise<string> {
    this.#history = context.history;
    const set = await this.#parts.skills.current();
    const facts = [
      { title: 'skill_data', data: context.skillData },
      { title: 'profile', data: context.profile },
    ];
    return buildSystemPrompt(set, chosenSkills(context.history, steps), { facts });
  }

  async tools(steps: readonly Step[]): Promise<readonly LanguageModelV4FunctionTool[]> {
    return toModel(await this.#offeredFor(steps));
  }

  async run(call: ModelCall, turn: ToolTurn): Promise<Result> {
    return this.#run(call, turn, await this.#offeredFor(turn.steps.slice(0, -1)));
  }

  /** What a sub-agent of one skill may do: look things up and compute, nothing that is shown or changed. */
  ofSkill(name: string): Pick<Toolbox, 'tools' | 'run'> {
    const offered = async () => {
      const set = await this.#parts.skills.current();
      const inUse = withRequired(set, [name]);
      const wanted = [searchKnowledge, ...inUse.flatMap(({ tools }) => tools)];
      const collections = inUse.flatMap((skill) => skill.collections);
      const all = await this.#offered(
        wanted.filter((tool) => tool !== 'use_skill'),
        collections,
      );
      return new Map([...all].filter(([, { isReadOnly }]) => isReadOnly));
    };
    return {
      tools: async () => toModel(await offered()),
      run: async (call, turn) => this.#run(call, turn, await offered()),
    };
  }

  async #run(call: ModelCall, turn: ToolTurn, offered: ReadonlyMap<string, Offered>): Promise<Result> {
    const tool = offered.get(call.name);
    if (!tool) return (await this.#exists(call.name)) ? failedResult(notOffered(call.name)) : unknownTool;
    if (call.malformed) return failedResult({ code: 'INVALID_PARAMS', message: call.malformed, retryable: false });
    return bounded(await tool.run(call, turn));
  }

  /** The tools that fit the skills in use. */
  async #offeredFor(steps: readonly Step[]): Promise<ReadonlyMap<string, Offered>> {
    const set = await this.#parts.skills.current();
    const inUse = withRequired(set, chosenSkills(this.#history, steps));
    const names = [...builtIn, ...(set.skills.get(coreSkill)?.tools ?? []), ...inUse.flatMap(({ tools }) => tools)];
    const allowed = names.filter((name) => this.#parts.mode !== 'guest' || guestTools.includes(name));
    return this.#offered(
      allowed,
      inUse.flatMap(({ collections }) => collections),
    );
  }

  async #offered(names: readonly string[], collections: readonly string[]): Promise<ReadonlyMap<string, Offered>> {
    const { local, gateway, authority, skills } = this.#parts;
    const atGateway = await gateway.definitions(authority);
    const choice = skillChoice(await skills.current());
    const found = [...new Set(names)].flatMap((name): [string, Offered][] => {
      if (name === 'use_skill')
        return choice
          ? [[name, { definition: shown(choice), isReadOnly: true, run: (call, turn) => this.#useSkill(choice, call, turn) }]]
          : [];
      const contract = local.find(name);
      if (contract) return [[name, { definition: shown(contract), isReadOnly: true, run: (call) => this.#local(call) }]];
      const definition = atGateway.get(name);
      if (!definition) return [];
      const isReadOnly = definition.read_only;
      if (name !== searchKnowledge) return [[name, { definition, isReadOnly, run: (call) => this.#atGateway(definition, call) }]];
      const run = (call: ModelCall) => this.#searched(call, [...new Set(collections)]);
      return [[name, { definition: withoutCollections(definition), isReadOnly, run }]];
    });
    return new Map(found);
  }

  async #exists(name: string): Promise<boolean> {
    if (name === 'use_skill' || this.#parts.local.find(name)) return true;
    return (await this.#parts.gateway.definitions(this.#parts.authority)).has(name);
  }

  /** One skill: it is in the next prompt. Several: sub-agents, and what they found is the result (VL-18). */
  async #useSkill(choice: NonNullable<ReturnType<typeof skillChoice>>, call: ModelCall, turn: ToolTurn): Promise<Result> {
    const parsed = choice.input.safeParse(call.arguments);
    if (!parsed.success) {
      const details = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      const message = details.map((detail) => `${detail.path}: ${detail.message}`).join('; ');
      return failedResult({ code: 'INVALID_PARAMS', message, retryable: false, details });
    }
    const names = [...new Set(parsed.data.skills)];
    if (names.length > 1 && this.#parts.mode === 'guest')
      return failedResult({ code: 'PERMISSION_DENIED', message: 'A guest may use one skill at a time; choose one', retryable: false });
    const set = await this.#parts.skills.current();
    const skills = names.flatMap((name) => {
      const skill = set.skills.get(name);
      return skill ? [{ name, description: skill.description }] : [];
    });
    const chosen = { status: 'success', topic: parsed.data.topic, skills };
    return names.length > 1 ? { ...chosen, analyses: await this.#parts.analyse(names, parsed.data.topic, turn) } : chosen;
  }

  async #local(call: ModelCall): Promise<Result> {
    const { local, authority, skills, learn } = this.#parts;
    const answer = await local.run(call, authority);
    if (!answer.ok) return failedResult(answer.error);
    const owner = [...(await skills.current()).skills.values()].find(({ tools }) => tools.includes(call.name));
    if (owner && local.isLearntFrom(call.name)) learn(owner.name, call.arguments);
    return answer.data;
  }

  async #searched(call: ModelCall, collections: readonly string[]): Promise<Result> {
    const { gateway, authority, toolMs } = this.#parts;
    const ask = (input: Result) => gateway.call(searchKnowledge, input, { ...authority, effectKey: null, limitMs: toolMs });
    const answer = await searchIn({ input: call.arguments, collections, call: ask });
    return answer.ok ? answer.data : failedResult(answer.error);
  }

  async #atGateway({ name, read_only: readOnly }: ToolDefinition, call: ModelCall): Promise<Result> {
    const { gateway, authority, toolMs } = this.#parts;
    const effectKey = readOnly ? null : `${authority.jobId}:${call.id}`;
    const answer = await gateway.call(name, call.arguments, { ...authority, effectKey, limitMs: toolMs });
    return answer.ok ? answer.data : failedResult(answer.error);
  }
}

function toModel(offered: ReadonlyMap<string, Offered>): readonly LanguageModelV4FunctionTool[] {
  return [...offered.values()].map(({ definition: { name, description, parameters } }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters,
  }));
}

function shown(contract: ToolContract): Offered['definition'] {
  return { name: contract.name, description: contract.description, parameters: { ...toJsonSchema(contract.input, 'input') } };
}

function notOffered(name: string) {
  return {
    code: 'PERMISSION_DENIED',
    message: `${name} is not on offer in this conversation; choose the skill that brings it`,
    retryable: false,
  };
}
