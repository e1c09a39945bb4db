// What outside servers have, as clients read it here: under addresses of ours, and with pages that may do what their server was allowed.
import { z } from 'zod';
import { addressHere, narrowedMeta, type AppRules, type ApprovedServer, type OutsideOffers as Lists } from '#lib/contracts';
import type { AskedServer, KnownOffers } from './offer-cache.js';

export interface Known {
  readonly server: AskedServer;
  readonly known: KnownOffers;
}

/** A list of a server with addresses and names as they are here. */
export function entriesHere(
  name: 'resources' | 'templates' | 'prompts',
  { server: { server, apps }, known: { lists, prompts } }: Known,
): readonly unknown[] {
  switch (name) {
    case 'resources':
      return lists.resources.map((resource) => ({ ...narrowed(resource, apps), uri: addressHere(server, resource.uri) }));
    case 'templates':
      return lists.templates.map((template) => ({ ...narrowed(template, apps), uriTemplate: addressHere(server, template.uriTemplate) }));
    case 'prompts':
      return promptsHere(lists, prompts);
  }
}

function promptsHere(lists: Lists, prompts: KnownOffers['prompts']): readonly unknown[] {
  const own = new Map(lists.prompts.map((prompt) => [prompt.name, prompt]));
  return [...prompts].map(([here, name]) => ({ ...own.get(name), name: here }));
}

const addressed = z.looseObject({ uri: z.string() });
const metadata = z.record(z.string(), z.unknown()).optional();
const contentsOf = z.looseObject({ contents: z.array(z.looseObject({ uri: z.string(), _meta: metadata })) });
const messagesOf = z.looseObject({ messages: z.array(z.looseObject({ content: z.looseObject({ resource: addressed.optional() }) })) });

/** The same with a page that gets no more than its server was allowed. */
function narrowed<Described extends { readonly _meta?: Readonly<Record<string, unknown>> | undefined }>(
  given: Described,
  rules: AppRules,
): Described {
  const { _meta } = given;
  return _meta === undefined ? given : { ...given, _meta: narrowedMeta(_meta, rules) };
}

/** Contents with their addresses as they are here. */
export function contentsHere({ server, apps }: AskedServer, answer: object): object {
  const { contents, ...rest } = contentsOf.parse(answer);
  return { ...rest, contents: contents.map((one) => ({ ...narrowed(one, apps), uri: addressHere(server, one.uri) })) };
}

/** The same of what the messages of a prompt embed or link to, so that a client can read it. */
export function messagesHere({ server }: ApprovedServer, answer: object): object {
  const { messages, ...rest } = messagesOf.parse(answer);
  const here = (content: z.output<typeof messagesOf>['messages'][number]['content']): object => ({
    ...content,
    ...(typeof content['uri'] === 'string' && { uri: addressHere(server, content['uri']) }),
    ...(content.resource && { resource: { ...content.resource, uri: addressHere(server, content.resource.uri) } }),
  });
  return { ...rest, messages: messages.map(({ content, ...message }) => ({ ...message, content: here(content) })) };
}
