import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type KeyboardEvent } from 'react';
import type { ToolDefinition } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/notice.js';
import { Segments } from '../../components/field.js';
import { LiveCall } from '../../components/call/live-call.js';
import { isInput, type Input } from '../../components/schema-form/input.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { useText } from '../../language/use-text.js';
import { callTool, faultsOf } from './call-tool.js';
import type { CallOptions } from './call-options.js';
import { CallAnswerView } from './call-answer.js';
import { CallOptionFields } from './call-option-fields.js';
import { playgroundText } from './playground-text.js';
import { SnippetView } from './snippet-view.js';

const route = getRouteApi('/tools/$name');
const noFaults: ReadonlyMap<string, string> = new Map();

/** Calls a tool: what is typed on the left, what came of it on the right. */
export function Playground({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(playgroundText);
  const search = route.useSearch();
  const { job } = search;
  const navigate = route.useNavigate();
  const example = exampleOf(tool);
  const [input, setInput] = useState(example);
  /** Counts what replaces all parameters: the editors begin anew. */
  const [filled, setFilled] = useState(0);
  const [options, setOptions] = useState<CallOptions>({
    mode: tool.streaming ? 'stream' : 'wait',
    idempotencyKey: '',
    sessionId: '',
    debug: false,
    fresh: false,
  });
  const call = useMutation({
    mutationFn: () => callTool(tool.name, input, options),
    onSuccess: ({ jobId }) => {
      const followed = options.mode === 'stream' && jobId !== null ? jobId : '';
      void navigate({ to: '.', search: { ...search, job: followed }, replace: true });
    },
  });
  const fill = (next: Input) => {
    setInput(next);
    setFilled((count) => count + 1);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) call.mutate();
  };
  const choice = (mode: CallOptions['mode']) =>
    [
      mode,
      <span key={mode} title={words.modeHelp[mode]}>
        {words.modes[mode]}
      </span>,
    ] as const;
  return (
    <div className="columns two">
      {/* The shortcut is an addition; the button is there for everybody. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div className="stack" onKeyDown={onKey}>
        <ParametersEditor
          key={filled}
          schema={tool.parameters}
          input={input}
          faults={call.data ? faultsOf(call.data.body) : noFaults}
          onChange={setInput}
        />
        <CallOptionFields options={options} onChange={setOptions} />
        <div className="line wrap">
          <Button look="primary" icon="play" disabled={call.isPending} onClick={() => call.mutate()}>
            {call.isPending ? words.calling : words.call}
          </Button>
          <Segments
            label={words.mode}
            value={options.mode}
            choices={[choice('wait'), choice('accept'), choice('stream')]}
            onChoose={(mode) => setOptions({ ...options, mode })}
          />
          <span className="grow" />
          <Button look="quiet" small onClick={() => fill(example)}>
            {words.fill}
          </Button>
          <Button look="quiet" small onClick={() => fill({})}>
            {words.reset}
          </Button>
        </div>
        <p className="faint">{words.modeHelp[options.mode]}</p>
      </div>
      <div className="stack">
        {call.error && <ErrorNotice error={call.error} />}
        {job !== undefined && <LiveCall jobId={job} toolName={tool.name} input={input} />}
        {call.data && <CallAnswerView tool={tool} answer={call.data} input={input} isDrawn={job === undefined} />}
        {!call.data && !call.error && job === undefined && (
          <EmptyState icon="play" title={words.noResult}>
            <p>{words.noResultHelp}</p>
          </EmptyState>
        )}
        <SnippetView tool={tool.name} input={input} options={options} />
      </div>
    </div>
  );
}

function exampleOf(tool: ToolDefinition): Input {
  const first: unknown = tool.examples[0]?.input;
  return isInput(first) ? first : {};
}
