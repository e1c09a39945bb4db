import type { JsonSchema, ToolDefinition } from '#lib/contracts';
import { JsonBlock } from '../../components/code-block.js';
import { formOf, type FormField } from '../../components/schema-form/form-of.js';
import { Table } from '../../components/table.js';
import { useText } from '../../language/use-text.js';
import { toolsText } from './text.js';

/** What a tool takes and gives. */
export function Contract({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(toolsText);
  return (
    <div className="stack">
      <SchemaTable title={words.parameters} schema={tool.parameters} />
      <SchemaTable title={words.answer} schema={tool.output_schema} />
      <h2>{words.examples}</h2>
      {tool.examples.map((example) => (
        <div key={JSON.stringify(example)} className="columns two">
          <JsonBlock label={words.parameters} value={example.input} />
          {'output' in example && <JsonBlock label={words.answer} value={example.output} />}
        </div>
      ))}
      <details>
        <summary>{words.schema}</summary>
        <div className="columns two">
          <JsonBlock label={`${words.parameters}: ${words.schema}`} value={tool.parameters} />
          <JsonBlock label={`${words.answer}: ${words.schema}`} value={tool.output_schema} />
        </div>
      </details>
    </div>
  );
}

function SchemaTable({ title, schema }: { readonly title: string; readonly schema: JsonSchema }) {
  const words = useText(toolsText);
  const rows = formOf(schema).flatMap(flat);
  return (
    <>
      <h2>{title}</h2>
      <Table columns={[words.name, words.type, words.limits, words.meaning]}>
        {rows.map((field) => (
          <tr key={field.path}>
            <td>
              <code>{field.path}</code>
              {field.isRequired && <span className="required"> *</span>}
            </td>
            <td className="soft">{typeOf(field)}</td>
            <td className="mono faint">{field.limits}</td>
            <td>{field.description}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function flat(field: FormField): readonly FormField[] {
  if (field.kind === 'object') return [field, ...field.fields.flatMap(flat)];
  return field.kind === 'list' && field.item.kind === 'object' ? [field, ...field.item.fields.flatMap(flat)] : [field];
}

function typeOf(field: FormField): string {
  if (field.kind === 'choice') return field.choices.join(' | ');
  return field.kind === 'list' ? `${typeOf(field.item)}[]` : field.kind;
}
