import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type KeyboardEvent } from 'react';
import type { ToolDefinition } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { JsonBlock } from '../../components/code-block.js';
import { Confirm } from '../../components/confirm.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Segments } from '../../components/field.js';
import { LiveCall } from '../../components/call/live-call.js';
import { isInput, type Input } from '../../components/schema-form/input.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { api } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { callTool, faultsOf } from './call-tool.js';
import type { ChosenOptions } from './call-options.js';
import { CallAnswerView } from './call-answer.js';
import { CallOptionFields } from './call-option-fields.js';
import { playgroundText } from './playground-text.js';
import { SnippetView } from './snippet-view.js';

const route = getRouteApi('/tools/$name');
const noFaults: ReadonlyMap<string, string> = new Map();

/** Calls a tool. A page that is loaded while a stream goes on has the parameters of its call. */
export function Playground({ tool }: { readonly tool: ToolDefinition }) {
  const { job } = route.useSearch();
  const [jobBefore] = useState(job);
  const before = useQuery({ queryKey: ['call', jobBefore], queryFn: () => api.call(jobBefore ?? ''), enabled: jobBefore !== undefined });
  if (jobBefore !== undefined && before.isPending) return <Loading lines={8} />;
  const sent = before.data?.input_state === 'whole' ? before.data.input : null;
  return <Form tool={tool} initial={sent ?? exampleOf(tool)} isFollowing={jobBefore !== undefined} />;
}

interface FormProps {
  readonly tool: ToolDefinition;
  readonly initial: Input;
  /** Whether it begins with a call whose events it shows. */
  readonly isFollowing: boolean;
}

/** What is typed on the left, what came of it on the right. */
function Form({ tool, initial, isFollowing }: FormProps) {
  const words = useText(playgroundText);
  const search = route.useSearch();
  const { job } = search;
  const navigate = route.useNavigate();
  const [input, setInput] = useState(initial);
  const [isAsking, setIsAsking] = useState(false);
  /** Counts what replaces all parameters: the editors begin anew. */
  const [filled, setFilled] = useState(0);
  const [options, setOptions] = useState<ChosenOptions>({
    mode: tool.streaming || isFollowing ? 'stream' : 'wait',
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
  const start = () => (tool.read_only ? call.mutate() : setIsAsking(true));
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
  };
  const choice = (mode: ChosenOptions['mode']) =>
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
          <Button look="primary" icon="play" disabled={call.isPending} onClick={start}>
            {call.isPending ? words.calling : words.call}
          </Button>
          <Segments
            label={words.mode}
            value={options.mode}
            choices={[choice('wait'), choice('accept'), choice('stream')]}
            onChoose={(mode) => setOptions({ ...options, mode })}
          />
          <span className="grow" />
          <Button look="quiet" small onClick={() => fill(exampleOf(tool))}>
            {words.fill}
          </Button>
          <Button look="quiet" small onClick={() => fill({})}>
            {words.reset}
          </Button>
        </div>
        <p className="faint">{words.modeHelp[options.mode]}</p>
        {isAsking && (
          <Confirm
            action={words.callNamed(tool.name)}
            icon="play"
            run={() => call.mutateAsync()}
            done={words.called(tool.name)}
            onClose={() => setIsAsking(false)}
          >
            <p>{words.writes}</p>
            <JsonBlock label={words.parameters} value={input} />
          </Confirm>
        )}
      </div>
      <div className="stack">
        {call.error && <ErrorNotice error={call.error} />}
        {job !== undefined && <LiveCall jobId={job} toolName={tool.name} input={input} />}
        {/* The stream has all that a 202 says. */}
        {call.data && (job === undefined || call.data.status !== 202) && (
          <CallAnswerView tool={tool} answer={call.data} input={input} isDrawn={job === undefined} />
        )}
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
