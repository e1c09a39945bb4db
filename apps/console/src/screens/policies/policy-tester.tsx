import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { PolicyTest } from '#lib/client';
import { Button } from '../../components/button.js';
import { faultsOf } from '../../components/faults.js';
import { Field, Select, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import type { Input } from '../../components/schema-form/input.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { ToolField } from '../../components/tool-field.js';
import { invoq } from '../../data/gateway.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { policiesText } from './text.js';
import { Verdict } from './verdict.js';

const tiers = ['free', 'pro', 'vip'] as const;

interface PolicyTesterProps {
  /** Tested in the place of all that there are; null for those. */
  readonly draft: NonNullable<PolicyTest['policy']> | null;
}

/** A call that is not made, and what policies say of it. */
export function PolicyTester({ draft }: PolicyTesterProps) {
  const words = useText(policiesText);
  const { data: tools = [] } = useTools();
  const [tool, setTool] = useState('');
  const [input, setInput] = useState<Input>({});
  const [user, setUser] = useState('');
  const [tier, setTier] = useState('');
  const known = tools.find(({ name, aliases }) => name === tool || aliases.includes(tool));
  const test = useMutation({
    mutationFn: () => {
      const chosen = tiers.find((one) => one === tier);
      const caller = { ...(user !== '' && { user }), ...(chosen && { tier: chosen }) };
      return invoq.policies.test({
        tool,
        arguments: input,
        ...(draft && { policy: draft }),
        ...(Object.keys(caller).length > 0 && { caller }),
      });
    },
  });
  const faults = new Map([...faultsOf(test.error)].map(([path, message]) => [path.replace(/^arguments\./, ''), message]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate();
  };
  return (
    <div className="columns two">
      <form className="stack" onSubmit={submit}>
        <ToolField
          label={words.tool}
          isRequired
          value={tool}
          fault={faults.get('tool')}
          onChange={(name) => {
            setTool(name);
            setInput({});
          }}
        />
        {known && <ParametersEditor key={known.name} schema={known.parameters} input={input} faults={faults} onChange={setInput} />}
        <div className="columns two">
          <Field label={words.user} help={words.userHelp} fault={faults.get('caller.user')}>
            {(control) => <TextInput {...control} value={user} onChange={(event) => setUser(event.target.value)} />}
          </Field>
          <Field label={words.tier}>
            {(control) => (
              <Select {...control} value={tier} onChange={(event) => setTier(event.target.value)}>
                <option value="">{words.ownTier}</option>
                {tiers.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <div className="line">
          <Button type="submit" icon="play" disabled={tool === '' || test.isPending}>
            {words.run}
          </Button>
          <span className="faint">{words.testHelp}</span>
        </div>
      </form>
      <div className="stack" aria-live="polite">
        {test.error && <ErrorNotice error={test.error} />}
        {test.data ? <Verdict verdict={test.data} /> : <p className="faint">{words.chooseTool}</p>}
      </div>
    </div>
  );
}
