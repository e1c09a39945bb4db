// Words with which people ask for what the name of a tool says with another.
import { stemmer } from 'stemmer';

const alike: readonly (readonly string[])[] = [
  ['create', 'add', 'new', 'make', 'open', 'generate', 'build'],
  ['delete', 'remove', 'drop', 'erase', 'discard'],
  ['list', 'show', 'get', 'fetch', 'read', 'view', 'retrieve', 'display', 'see', 'load'],
  ['find', 'search', 'query', 'lookup', 'look', 'locate'],
  ['update', 'edit', 'change', 'modify', 'set', 'rename', 'adjust'],
  ['send', 'post', 'publish', 'submit', 'write'],
  ['run', 'execute', 'start', 'trigger', 'launch', 'invoke'],
  ['stop', 'cancel', 'abort', 'end'],
  ['close', 'finish', 'complete', 'resolve', 'done'],
  ['repository', 'repo', 'project'],
  ['picture', 'image', 'photo', 'screenshot'],
  ['folder', 'directory', 'dir'],
  ['document', 'doc', 'page', 'file'],
  ['person', 'user', 'people', 'member', 'owner'],
  ['ticket', 'issue', 'bug', 'task', 'story'],
  ['job', 'pipeline', 'build', 'workflow'],
  ['website', 'site', 'web', 'url', 'page'],
  ['route', 'direction', 'way', 'navigate', 'navigation'],
  ['chart', 'graph', 'diagram', 'plot'],
  ['comment', 'note', 'reply', 'discussion'],
  ['attach', 'upload', 'attachment'],
  ['merge', 'mr', 'pr', 'pull'],
];

/** By a term as questions have it: the terms that stand for it. */
export const otherWords: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(alike.flat())].map((word) => [
    stemmer(word),
    [...new Set(alike.filter((group) => group.includes(word)).flatMap((group) => group.map((other) => stemmer(other))))].filter(
      (other) => other !== stemmer(word),
    ),
  ]),
);
