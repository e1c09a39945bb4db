// The tools of one turn: which of them the model sees, and how each call is run (VL-14).
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import {
  briefDescription,
  fitsPattern,
  getResult,
  guestTools,
  hasScope,
  isAmong,
  nothingFoundHint,
  plainParameters,
  toJsonSchema,
  withItems,
  type ChatMode,
  type ToolContract,
  type ToolDefinition,
} from '#lib/contracts';
import { buildSystemPrompt, coreSkill, withRequired, type SkillLibrary } from '#lib/skills';
import type { ModelCall } from '../model/call-model.js';
import { toWaiting, type Authority, type GatewayClient, type ToolEnd } from '../gateway-client.js';
import type { AgentContext, RunState, Toolbox } from './core-agent.js';
import type { LocalTools } from './local-tools.js';
import { activeSkills, useSkillContract } from './active-skills.js';
import { hideParameters, searchCollections, searchKnowledge } from './knowledge-search.js';
import { calledBy, mostFound, queryOf, searchesAmong, searching } from './many-tools.js';
import type { Step } from './step.js';
import { errorResult, isReadOn, truncateResult, unknownTool, type ToolResult, type ToolRun } from './tool-results.js';

/** Available in every state, where they exist (VL-15). */
const builtIn = ['use_skill', searchKnowledge, 'show_report', 'show_insight'];
/** So are these, to a caller with their scope. */
const scheduling = ['schedule_call', 'list_schedules', 'cancel_schedule'];

/** What the search of the gateway takes, and gives at most. */
const longestQuery = 500;
const mostRanked = 50;

type Shown = Pick<AvailableTool, 'definition'>;

interface ToolboxParts {
  readonly skills: SkillLibrary;
  readonly local: LocalTools;
  readonly gateway: GatewayClient;
  readonly authority: Authority;
  /** The longest that a call waits for its tool, ms. */
  readonly toolTimeoutMs: number;
  /** Of a tool's result that the model reads. */
  readonly resultCharacters: number;
  readonly mode: ChatMode;
  /** Runs a sub-agent for each skill and gives what each found. */
  readonly runSubAgents: (skills: readonly string[], topic: string, state: RunState) => Promise<readonly ToolResult[]>;
  /** Saves what a chart was made from, for the next conversation. */
  readonly saveSkillData: (skill: string, data: Readonly<Record<string, unknown>>) => void;
}

/** A tool as the model sees it, and how it is run. */
interface AvailableTool {
  readonly definition: Pick<ToolDefinition, 'name' | 'description' | 'parameters'>;
  readonly isReadOnly: boolean;
  readonly run: (call: ModelCall, state: RunState) => Promise<ToolRun>;
}

/**
 * Tools come from three places: `use_skill` is made of the loaded skills, the agent's own tools run in this process, all others are
 * called at the gateway. A call of a tool that the model was not shown is answered with an error, never run.
 */
export class TurnToolbox implements Toolbox {
  readonly #parts: ToolboxParts;

  constructor(parts: ToolboxParts) {
    this.#parts = parts;
  }

  async systemPrompt(context: AgentContext, steps: readonly Step[]): Promise<string> {
    const set = await this.#parts.skills.current();
    const facts = [
      { title: 'skill_data', data: context.skillData },
      { title: 'profile', data: context.profile },
    ];
    return buildSystemPrompt(set, activeSkills(context.history, steps), { facts });
  }

  async tools(context: AgentContext, steps: readonly Step[]): Promise<readonly LanguageModelV4FunctionTool[]> {
    return toModel(this.#shown(await this.#availableAt(context, steps)));
  }

  async run(call: ModelCall, state: RunState): Promise<ToolRun> {
    const { gateway, authority, toolTimeoutMs } = this.#parts;
    const available = await this.#availableAt(state.context, state.steps.slice(0, -1));
    const rest = state.steps.at(-1)?.rests.find(({ id }) => id === call.id);
    if (!rest) return this.#run(call, state, available);
    const { name } = searchesAmong(available) ? calledBy(call) : call;
    return runOf(await gateway.goOn(name, rest.job_id, { ...authority, limitMs: toolTimeoutMs }));
  }

  /** The tools of a sub-agent: the knowledge search and the tools of its skill that only read. */
  forSubAgent(name: string): Pick<Toolbox, 'tools' | 'run'> {
    const available = async () => {
      const set = await this.#parts.skills.current();
      const inUse = withRequired(set, [name]);
      const wanted = [searchKnowledge, ...inUse.flatMap(({ tools }) => tools)];
      const collections = inUse.flatMap((skill) => skill.collections);
      const all = await this.#available(
        wanted.filter((tool) => tool !== 'use_skill'),
        collections,
      );
      return new Map([...all].filter(([, { isReadOnly }]) => isReadOnly));
    };
    return {
      tools: async () => toModel(this.#shown(await available())),
      run: async (call, state) => this.#run(call, state, await available()),
    };
  }

  async #run(given: ModelCall, state: RunState, available: ReadonlyMap<string, AvailableTool>): Promise<ToolRun> {
    const searches = searchesAmong(available);
    const query = searches && !given.malformed ? queryOf(given) : null;
    if (query !== null) return { result: truncateResult(await this.#search(query, available)) };
    const call = searches ? calledBy(given) : given;
    const tool = available.get(call.name);
    if (!tool) return { result: (await this.#exists(call.name)) ? errorResult(notAvailable(call.name)) : unknownTool };
    if (call.malformed) return { result: errorResult({ code: 'INVALID_PARAMS', message: call.malformed, retryable: false }) };
    const run = await tool.run(call, state);
    return { ...run, result: truncateResult(run.result) };
  }

  /** What the model sees of them: all, or the search in the place of those of the gateway. */
  #shown(available: ReadonlyMap<string, AvailableTool>): readonly Shown[] {
    if (!searchesAmong(available)) return [...available.values()];
    const always = new Set([...builtIn, ...scheduling, getResult.name]);
    const kept = [...available].filter(([name]) => always.has(name) || this.#parts.local.find(name) !== undefined);
    return [...kept.map(([, tool]) => tool), ...searching.map((definition) => ({ definition }))];
  }

  /** Ranked as the gateway ranks all that the caller may call. */
  async #search(query: string, available: ReadonlyMap<string, AvailableTool>): Promise<ToolResult> {
    if (query === '') return errorResult({ code: 'INVALID_PARAMS', message: "'query' must say what you want to do", retryable: false });
    const { gateway, authority } = this.#parts;
    const found = await gateway.search(query.slice(0, longestQuery), mostRanked, authority);
    if (!found.ok) return errorResult(found.error);
    const tools = found.names.flatMap((name) => available.get(name) ?? []).slice(0, mostFound);
    if (tools.length === 0) return { tools: [], hint: nothingFoundHint };
    return {
      tools: tools.map(({ definition: { name, description, parameters } }) => ({
        name,
        description: briefDescription(description),
        parameters: withItems(plainParameters(parameters)),
      })),
    };
  }

  /** The tools that fit the skills in use. */
  async #availableAt({ history }: AgentContext, steps: readonly Step[]): Promise<ReadonlyMap<string, AvailableTool>> {
    const set = await this.#parts.skills.current();
    const inUse = withRequired(set, activeSkills(history, steps));
    const mine = hasScope(this.#parts.authority.caller, 'schedules') ? [...builtIn, ...scheduling] : builtIn;
    // It costs tokens, so it is there once there is something to read.
    const results = [...history, { steps }].flatMap((turn) => turn.steps.flatMap((step) => step.results));
    const reading = results.some((result) => isReadOn(result, this.#parts.resultCharacters)) ? [getResult.name] : [];
    const names = [...mine, ...reading, ...(set.skills.get(coreSkill)?.tools ?? []), ...inUse.flatMap(({ tools }) => tools)];
    const allowed = names.filter((name) => this.#parts.mode !== 'guest' || guestTools.includes(name));
    return this.#available(
      allowed,
      inUse.flatMap(({ collections }) => collections),
    );
  }

  async #available(names: readonly string[], collections: readonly string[]): Promise<ReadonlyMap<string, AvailableTool>> {
    const { local, gateway, authority, skills } = this.#parts;
    const atGateway = await gateway.definitions(authority);
    const choice = useSkillContract(await skills.current());
    // A skill may name tools of a server by a pattern.
    const named = names.flatMap((name) => (name.includes('*') ? [...atGateway.keys()].filter((one) => fitsPattern(name, one)) : [name]));
    const found = [...new Set(named)].flatMap((name): [string, AvailableTool][] => {
      if (!this.#mayHave(name, atGateway)) return [];
      if (name === 'use_skill')
        return choice
          ? [
              [
                name,
                {
                  definition: toToolDefinition(choice),
                  isReadOnly: true,
                  run: async (call, state) => ({ result: await this.#useSkill(choice, call, state) }),
                },
              ],
            ]
          : [];
      const contract = local.find(name);
      if (contract) {
        const isReadOnly = contract.effect === 'read';
        return [[name, { definition: toToolDefinition(contract), isReadOnly, run: (call) => this.#callLocal(call) }]];
      }
      const definition = atGateway.get(name);
      if (!definition) return [];
      const isReadOnly = definition.read_only;
      if (name !== searchKnowledge) return [[name, { definition, isReadOnly, run: (call) => this.#callGateway(definition, call) }]];
      const run = (call: ModelCall) => this.#searchKnowledge(call, [...new Set(collections)]);
      return [[name, { definition: hideParameters(definition), isReadOnly, run }]];
    });
    return new Map(found);
  }

  /** Whether there is such a tool at all, available in this turn or not: the model gets different errors. */
  async #exists(name: string): Promise<boolean> {
    const atGateway = await this.#parts.gateway.definitions(this.#parts.authority);
    if (!this.#mayHave(name, atGateway)) return false;
    return name === 'use_skill' || this.#parts.local.find(name) !== undefined || atGateway.has(name);
  }

  /** A key may be for some tools alone, those of the agent included. What is in a named set, the gateway knows. */
  #mayHave(name: string, atGateway: ReadonlyMap<string, unknown>): boolean {
    const { tools, toolset } = this.#parts.authority.caller;
    return isAmong(tools, { name }) && (toolset === undefined || atGateway.has(name));
  }

  /** One skill goes into the next prompt. Several are analysed by sub-agents, whose findings are the result (VL-18). */
  async #useSkill(choice: NonNullable<ReturnType<typeof useSkillContract>>, call: ModelCall, state: RunState): Promise<ToolResult> {
    const parsed = choice.input.safeParse(call.arguments);
    if (!parsed.success) {
      const details = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      const message = details.map((detail) => `${detail.path}: ${detail.message}`).join('; ');
      return errorResult({ code: 'INVALID_PARAMS', message, retryable: false, details });
    }
    const names = [...new Set(parsed.data.skills)];
    if (names.length > 1 && this.#parts.mode === 'guest')
      return errorResult({ code: 'PERMISSION_DENIED', message: 'A guest may use one skill at a time; choose one', retryable: false });
    const set = await this.#parts.skills.current();
    const skills = names.flatMap((name) => {
      const skill = set.skills.get(name);
      return skill ? [{ name, description: skill.description }] : [];
    });
    const chosen = { status: 'success', topic: parsed.data.topic, skills };
    return names.length > 1 ? { ...chosen, analyses: await this.#parts.runSubAgents(names, parsed.data.topic, state) } : chosen;
  }

  async #callLocal(call: ModelCall): Promise<ToolRun> {
    const { local, authority, skills, saveSkillData } = this.#parts;
    const answer = await local.run(call, authority);
    if (!answer.ok) return runOf(answer);
    const owner = [...(await skills.current()).skills.values()].find(({ tools }) => tools.includes(call.name));
    if (owner && local.asksForBirth(call.name)) saveSkillData(owner.name, call.arguments);
    return runOf(answer);
  }

  async #searchKnowledge(call: ModelCall, collections: readonly string[]): Promise<ToolRun> {
    const { gateway, authority, toolTimeoutMs } = this.#parts;
    const ask = (input: ToolResult) => gateway.call(searchKnowledge, input, { ...authority, effectKey: null, limitMs: toolTimeoutMs });
    return runOf(await searchCollections({ input: call.arguments, collections, call: ask }));
  }

  /** A tool with an effect has a key, so that the same call in a second run of the turn has its effect once. */
  async #callGateway({ name, read_only: readOnly }: ToolDefinition, call: ModelCall): Promise<ToolRun> {
    const { gateway, authority, toolTimeoutMs } = this.#parts;
    const effectKey = readOnly ? null : `${authority.jobId}:${call.id}`;
    return runOf(await gateway.callOrRest(name, call.arguments, { ...authority, effectKey, limitMs: toolTimeoutMs }));
  }
}

function runOf(end: ToolEnd): ToolRun {
  if ('rest' in end) return { result: toWaiting(end.rest), jobId: end.rest.jobId, rest: end.rest };
  const { jobId, resultId } = end;
  if (!end.ok) return { result: errorResult(end.error), jobId, ...(end.error.declined && { declined: true }) };
  // A model that does not know what is missing would tell it as it is not.
  const { data, warnings = [] } = end;
  return { result: warnings.length === 0 ? data : { ...data, warnings }, jobId, resultId };
}

/** Providers refuse a request for one tool that is not as they ask, and outside servers ask nobody. */
function toModel(shown: readonly Shown[]): readonly LanguageModelV4FunctionTool[] {
  return shown.map(({ definition: { name, description, parameters } }) => ({
    type: 'function',
    name,
    description: briefDescription(description),
    inputSchema: { ...withItems(plainParameters(parameters)) },
  }));
}

function toToolDefinition(contract: ToolContract): AvailableTool['definition'] {
  return { name: contract.name, description: contract.description, parameters: { ...toJsonSchema(contract.input, 'input') } };
}

function notAvailable(name: string) {
  return {
    code: 'PERMISSION_DENIED',
    message: `${name} is not available in this conversation; use the skill that has it`,
    retryable: false,
  };
}
