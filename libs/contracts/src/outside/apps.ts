// MCP Apps: pages of outside servers that a client shows beside the results of their tools (the extension io.modelcontextprotocol/ui).
import { z } from 'zod';

/** Its name among the capabilities of a client or a server. */
export const appsExtension = 'io.modelcontextprotocol/ui';
export const appMimeType = 'text/html;profile=mcp-app';

/** What a definition says of the page of its tool. */
export const toolApp = z.object({
  resourceUri: z.string().max(4_096).startsWith('ui://'),
  /** Who calls the tool: the model, or the page itself. */
  visibility: z.array(z.enum(['model', 'app'])).optional(),
});
export type ToolApp = Readonly<z.output<typeof toolApp>>;

const source = /^(https|wss):\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;
export const appPermissions = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;
/** @limit outside servers: hosts that pages of a server may load from or speak to; INVALID_PARAMS */
const mostDomains = 50;

/** What an administrator allows the pages of a server. By default nothing but what stands in the page. */
export const appRules = z.strictObject({
  domains: z
    .array(z.string().max(300).regex(source, 'must be https:// or wss:// with a host, such as https://*.example.com'))
    .max(mostDomains)
    .default([])
    .describe('Where pages may load from and what they may speak to, such as https://api.example.com or https://*.example.com.'),
  permissions: z.array(z.enum(appPermissions)).max(appPermissions.length).default([]).describe('What of the device they may use.'),
});
export interface AppRules {
  readonly domains: readonly string[];
  readonly permissions: readonly (typeof appPermissions)[number][];
}

const texts = z.array(z.unknown()).catch([]);
/** The kinds of hosts that a page names (SEP-1865, `csp`). */
const cspFields = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;
const given = z.object({
  csp: z.looseObject({}).catch({}),
  permissions: z.looseObject({}).catch({}),
  prefersBorder: z.boolean().optional().catch(undefined),
});

/** Where the metadata of a page says what it wanted and does not get. */
export const leftOut = 'invoq/left_out';

/**
 * The metadata of a resource whose page gets no more than the rules allow. An address of its own (`domain`) is never among it: in a client it
 * would be one for the pages of all servers.
 */
export function narrowedMeta(meta: Readonly<Record<string, unknown>>, rules: AppRules): Record<string, unknown> {
  const { ui, ...others } = meta;
  if (ui === undefined) return others;
  const asked = given.safeParse(ui).data ?? { csp: {}, permissions: {}, prefersBorder: undefined };
  const wanted = cspFields.map((field) => ({ field, sources: texts.parse(asked.csp[field] ?? []) }));
  const kept = wanted.map(({ field, sources }) => [field, sources.filter((one) => isCovered(one, rules.domains))] as const);
  const refused = [
    ...wanted.flatMap(({ field, sources }) =>
      sources.filter((one) => !isCovered(one, rules.domains)).map((one) => `${field} ${String(one).slice(0, 300)}`),
    ),
    ...Object.keys(asked.permissions)
      .filter((name) => !isAllowed(name, rules))
      .map((name) => `permission ${name.slice(0, 100)}`),
  ];
  return {
    ...others,
    ui: {
      csp: Object.fromEntries(kept.filter(([, sources]) => sources.length > 0)),
      permissions: Object.fromEntries(rules.permissions.filter((name) => name in asked.permissions).map((name) => [name, {}])),
      ...(asked.prefersBorder !== undefined && { prefersBorder: asked.prefersBorder }),
    },
    ...(refused.length > 0 && { [leftOut]: refused.slice(0, mostDomains) }),
  };
}

function isAllowed(name: string, { permissions: allowed }: AppRules): boolean {
  return allowed.some((one) => one === name);
}

/** A host is covered by itself, and by a star in place of what stands before a point, as in CSP. */
function isCovered(asked: unknown, domains: readonly string[]): boolean {
  if (typeof asked !== 'string' || !source.test(asked)) return false;
  const [scheme = '', host = ''] = asked.split('://');
  return domains.some((domain) => {
    const [allowedScheme, allowedHost = ''] = domain.split('://');
    if (domain === asked) return true;
    return allowedScheme === scheme && allowedHost.startsWith('*.') && host.endsWith(allowedHost.slice(1));
  });
}
