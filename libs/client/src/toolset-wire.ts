// What the gateway answers of sets of tools, by its wire contract. A later gateway may add fields.

export interface NewToolset {
  /** Names of tools; `*` stands for any characters. */
  readonly tools: readonly string[];
  /** Other names, by the names of tools. */
  readonly rename?: Readonly<Record<string, string>>;
  /** What each name begins with, renamed or not. */
  readonly prefix?: string;
  /** Only tools that change nothing. Default false. */
  readonly read_only?: boolean;
}

/** A tool that a set has and cannot offer. */
export interface ToolsetProblem {
  readonly tool: string;
  readonly name: string;
  readonly reason: string;
}

export interface Toolset {
  readonly name: string;
  readonly tools: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
  readonly prefix: string;
  readonly read_only: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** How many tools it offers now. */
  readonly offers: number;
  readonly problems: readonly ToolsetProblem[];
}

export interface ToolsetList {
  readonly toolsets: readonly Toolset[];
}

/** What the agent reads. */
export type ToolsetForm = 'mcp' | 'native' | 'openai' | 'anthropic';

export interface ToolsetPreview {
  readonly tools: readonly {
    /** Under which the agent sees and calls it. */
    readonly name: string;
    /** Its own name. */
    readonly tool: string;
    readonly effect: 'read' | 'write';
    readonly definition: Readonly<Record<string, unknown>>;
    /** Of the definition, estimated. */
    readonly tokens: number;
    /** Of a typical answer. */
    readonly answer_tokens: number;
  }[];
  /** Of all definitions together. */
  readonly tokens: number;
  readonly problems: readonly ToolsetProblem[];
}
