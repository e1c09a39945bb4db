// An editor for JSON: CodeMirror, which gives the styles that it adds the nonce of the page.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import { pageNonce } from './page-nonce.js';

const look = EditorView.theme({
  '&': { border: '1px solid var(--line-strong)', borderRadius: '6px', background: 'var(--surface)', fontSize: '12px', minHeight: '180px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '460px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft)' },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--info)' },
]);

interface JsonEditorProps {
  readonly label: string;
  /** What it begins with, and what it shows when that changes from outside. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Tab leaves the editor, as everywhere else on the page. */
export function JsonEditor({ label, text, onChange }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const told = useEffectEvent(onChange);
  const first = useRef({ text, label });
  const name = useRef(new Compartment());
  useEffect(() => {
    if (!place.current) return undefined;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current.text,
        extensions: [
          EditorView.cspNonce.of(pageNonce()),
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          indentOnInput(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          name.current.of(named(first.current.label)),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) told(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  // Another language names it anew, and leaves what is typed where it is.
  useEffect(() => view.current?.dispatch({ effects: name.current.reconfigure(named(label)) }), [label]);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    }
  }, [text]);
  return <div ref={place} />;
}

function named(label: string) {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}
