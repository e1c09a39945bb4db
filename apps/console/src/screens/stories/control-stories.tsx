import { useState } from 'react';
import { Button, IconButton } from '../../components/button.js';
import { Checkbox, Field, SearchInput, Segments, Select, TextArea, TextInput } from '../../components/field.js';
import { Panel } from '../../components/panel.js';
import type { Input } from '../../components/schema-form/input.js';
import { SchemaForm } from '../../components/schema-form/schema-form.js';
import { Tabs } from '../../components/tabs.js';

const schema = {
  type: 'object',
  required: ['name', 'count'],
  properties: {
    name: { type: 'string', description: 'A text that is required.', maxLength: 80 },
    count: { type: 'integer', minimum: 1, maximum: 20 },
    kind: { type: 'string', enum: ['first', 'second'], default: 'first' },
    flag: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    author: { type: 'object', properties: { name: { type: 'string' } } },
    anything: { description: 'What the form cannot draw.' },
  },
};
const faults = new Map([['count', 'must be at least 1']]);

/** Buttons, fields, tabs, and the form of a schema with a fault. */
export function ControlStories() {
  const [tab, setTab] = useState<'one' | 'two'>('one');
  const [input, setInput] = useState<Input>({ count: 0, tags: ['健康'], author: {} });
  return (
    <>
      <div className="line wrap">
        <Button>Plain</Button>
        <Button look="primary" icon="play">
          Primary
        </Button>
        <Button look="danger" icon="trash">
          Danger
        </Button>
        <Button look="quiet">Quiet</Button>
        <Button disabled look="primary">
          Disabled
        </Button>
        <Button small>Small</Button>
        <IconButton icon="copy" label="Copy" />
      </div>
      <Field label="Label" help="What it is for." isRequired>
        {(control) => <TextInput {...control} placeholder="Placeholder" />}
      </Field>
      <Field label="With a fault" fault="must have at most 80 characters">
        {(control) => <TextArea {...control} defaultValue="文字" />}
      </Field>
      <Field label="Choice">
        {(control) => (
          <Select {...control}>
            <option>first</option>
            <option>second</option>
          </Select>
        )}
      </Field>
      <div className="line">
        <SearchInput label="Search" />
      </div>
      <Checkbox label="A choice of yes or no" defaultChecked />
      <div>
        <Segments
          label="Segments"
          value={tab}
          choices={[
            ['one', 'One'],
            ['two', '二'],
          ]}
          onChoose={setTab}
        />
      </div>
      <Panel padded={false}>
        <Tabs
          label="Tabs"
          value={tab}
          tabs={[
            ['one', 'One'],
            ['two', '二'],
          ]}
          onChoose={setTab}
        >
          <p style={{ padding: 'var(--s4)' }}>{tab}</p>
        </Tabs>
      </Panel>
      <Panel title="Schema form">
        <SchemaForm schema={schema} input={input} faults={faults} onChange={setInput} />
      </Panel>
    </>
  );
}
