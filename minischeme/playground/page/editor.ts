// The two editors, of a file and of the prompt's entry.

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentSelection } from "@codemirror/commands";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { Failure, Name } from "./protocol";
import { scheme } from "./scheme";

type LookUp = (word: string) => Promise<Name[] | null>;

/** Complete the word before the cursor; elsewhere Tab goes on to the next part of the page. */
function complete(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  const isBehindWord = /[^\s()[\]"';`,]$/.test(view.state.sliceDoc(Math.max(0, head - 1), head));
  return acceptCompletion(view) || (isBehindWord && startCompletion(view));
}

function common(lookUp: LookUp, label: string, activateOnTyping: boolean): Extension[] {
  return [
    scheme(lookUp),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false, activateOnTyping, defaultKeymap: false, interactionDelay: 0 }),
    syntaxHighlighting(classHighlighter),
    EditorState.tabSize.of(8),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    keymap.of([
      { key: "Alt-q", run: indentSelection },
      ...closeBracketsKeymap,
      { key: "Tab", run: complete },
      ...completionKeymap.filter((each) => each.key !== "Enter"),
      ...defaultKeymap,
      ...historyKeymap,
    ]),
  ];
}

export function fileEditor(parent: Element, lookUp: LookUp, changed: (text: string) => void, run: () => boolean) {
  const open = (text: string, name: string): EditorState =>
    EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
        lineNumbers(),
        lintGutter(),
        indentOnInput(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        keymap.of(searchKeymap),
        ...common(lookUp, `Program ${name}`, true),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    });
  return { view: new EditorView({ parent }), open };
}

/** Underline errors at their places. */
export function underline(view: EditorView, failures: Failure[]): void {
  const end = view.state.doc.length;
  const found: Diagnostic[] = failures
    .filter((each) => each.from <= end)
    .map((each) => ({
      from: each.from,
      to: Math.min(each.to, end),
      severity: "error",
      message: each.hint === "" ? each.message : `${each.message}\n${each.hint}`,
    }));
  view.dispatch(setDiagnostics(view.state, found));
  if (found.length > 0) view.dispatch({ effects: EditorView.scrollIntoView(found[0].from, { y: "center" }) });
}

export interface PromptKeys {
  enter(text: string, atEnd: boolean): boolean;
  interrupt(): boolean;
  end(): boolean;
  earlier(): string | null;
  later(): string | null;
}

export function promptEditor(parent: Element, lookUp: LookUp, keys: PromptKeys): EditorView {
  const replace = (view: EditorView, text: string | null): boolean => {
    if (text === null) return false;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
    return true;
  };
  const isOnLine = (view: EditorView, number: number): boolean =>
    view.state.doc.lineAt(view.state.selection.main.head).number === number;
  return new EditorView({
    parent,
    extensions: [
      keymap.of([
        {
          key: "Enter",
          run: (view) => {
            const { head } = view.state.selection.main;
            const rest = view.state.doc.sliceString(head);
            return keys.enter(view.state.doc.toString(), /^[\s)\]]*$/.test(rest));
          },
        },
        { key: "ArrowUp", run: (view) => isOnLine(view, 1) && replace(view, keys.earlier()) },
        { key: "ArrowDown", run: (view) => isOnLine(view, view.state.doc.lines) && replace(view, keys.later()) },
        { key: "Ctrl-c", run: (view) => view.state.selection.main.empty && keys.interrupt() },
        { key: "Ctrl-d", run: (view) => view.state.doc.length === 0 && keys.end() },
      ]),
      ...common(lookUp, "Scheme prompt", false),
    ],
  });
}

export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: text.length } });
}
