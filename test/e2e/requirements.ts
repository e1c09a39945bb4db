// Every requirement of the five source documents and of the platform they share, as data. Tests cite them through `verifies`.
import { aurawell } from './requirements/aurawell.js';
import { memotree } from './requirements/memotree.js';
import { platform } from './requirements/platform.js';
import type { SourceRequirement } from './requirements/source-requirement.js';
import { stripe } from './requirements/stripe.js';
import { toolUse } from './requirements/tool-use.js';
import { vibelife } from './requirements/vibelife.js';

const documents = { aurawell, stripe, memotree, vibelife, 'tool-use': toolUse, platform } as const;

type Document = keyof typeof documents;
export type RequirementId = (typeof documents)[Document][number]['id'];

interface Requirement extends SourceRequirement {
  readonly id: RequirementId;
  /** The source document of the requirement. */
  readonly domain: Document;
}

const names = ['aurawell', 'stripe', 'memotree', 'vibelife', 'tool-use', 'platform'] as const satisfies readonly Document[];

export const requirements: readonly Requirement[] = names.flatMap((domain) =>
  documents[domain].map((requirement) => ({ ...requirement, domain })),
);

/** Areas besides the domains of the contracts that are built: their requirements must be cited. Add one with its feature. */
export const builtAreas: readonly string[] = ['tool-use-core', 'platform', 'formats', 'mcp', 'metacognition', 'versions'];
