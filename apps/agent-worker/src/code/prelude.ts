// What the code of a model finds in its realm besides the language: `tools` and `console`. It is JavaScript of that realm. Of ours, nothing is in
// there but two functions that take and give texts. Whatever the code changes in its realm, it changes for itself.

/**
 * A function of the two of ours and the names of the tools, which gives a function of code. What that gives begins with `json` and is its result, or with
 * a fault of the code and is what was thrown.
 */
export const prelude = `(function (ask, print, names) {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, create, defineProperty, setPrototypeOf, hasOwn } = Object;
  const AsyncFunction = (async () => {}).constructor;
  const text = String;
  class ToolError extends Error {}
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError' });
  const answer = async (kind, first, second, { stack }) => {
    const { data, error } = parse(await ask(kind, first, second));
    if (!error) return data;
    const thrown = new ToolError(error.message);
    // Where it was called: what comes later has no line of the code.
    thrown.stack = stack;
    thrown.tool = first;
    thrown.code = error.code;
    thrown.retryable = error.retryable;
    if (error.details) thrown.details = error.details;
    throw thrown;
  };
  const functions = create(null);
  for (const name of parse(names)) {
    const call = async (input = {}) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        throw new TypeError('tools.' + name + ' takes one object with its parameters');
      return answer('call', name, stringify(input), new Error());
    };
    functions[name] = freeze(setPrototypeOf(defineProperty(call, 'name', { value: name }), null));
  }
  defineProperty(functions, '$search', { value: async (query) => answer('search', text(query), '', new Error()) });
  defineProperty(functions, '$describe', { value: async (name) => answer('describe', text(name), '', new Error()) });
  const tools = new Proxy(freeze(functions), {
    get(target, name) {
      if (hasOwn(target, name)) return target[name];
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      throw new ReferenceError('tools.' + name + ': there is no such tool, or you may not use it. Object.keys(tools) has all');
    },
  });
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.stack ? value.name + ': ' + value.message : text(value);
    try {
      return stringify(value) ?? text(value);
    } catch {
      return text(value);
    }
  };
  const log = (...values) => print(values.map(shown).join(' '));
  const console = freeze({ log, info: log, debug: log, warn: log, error: log });
  const said = (error) => {
    const isError = error instanceof Error;
    const message = isError ? text(error.message) : shown(error);
    const name = isError ? text(error.name) : 'Thrown';
    const about = error instanceof ToolError && error.code ? text(error.tool) + ': ' + text(error.code) + ': ' + message : message;
    return stringify({ name, message: about, stack: isError ? text(error.stack) : '' });
  };
  const described = (error) => {
    try {
      return said(error);
    } catch {
      return '{"name":"Thrown","message":"a value that cannot be shown","stack":""}';
    }
  };
  return async (code) => {
    let main;
    try {
      main = new AsyncFunction('tools', 'console', code);
    } catch (error) {
      return 'syntax ' + described(error);
    }
    let result;
    try {
      result = await main.call(undefined, tools, console);
    } catch (error) {
      return 'threw ' + described(error);
    }
    try {
      return 'json ' + (stringify(result === undefined ? null : result) ?? 'none');
    } catch (error) {
      return 'not-json ' + described(error);
    }
  };
})`;

/** The lines that a function made of a text has before the text. */
export const linesBefore = 2;
