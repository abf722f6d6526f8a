// Scheme for the editor: its tokens, its layout, and completion.

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { indentService, LanguageSupport, StreamLanguage, type StringStream } from "@codemirror/language";
import type { Name } from "./protocol";
import words from "./words.json";

const FORMS = new Set(words.forms);
const PROCEDURES = new Set(words.procedures);
const BODIES = new Map(Object.entries(words.bodies));
const CLAUSES = new Set(["and", "cond", "if", "or", "class-vars", "instance-vars", "parent", "set!"]);
const WORD = /^(?:[^\s()[\]"';`,|]|\|(?:[^\\|]|\\.)*\|)+/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:\/\d+)?$/i;

type State = { comment: number; inString: boolean; isHead: boolean; isName: boolean };

function token(stream: StringStream, state: State): string | null {
  if (state.comment > 0) return blockComment(stream, state);
  if (state.inString) return string(stream, state);
  if (stream.eatSpace()) return null;
  const { isHead, isName } = state;
  state.isHead = state.isName = false;
  if (stream.match(/^;.*/)) return "comment";
  if (stream.match("#|")) {
    state.comment = 1;
    return blockComment(stream, state);
  }
  if (stream.match("#;")) return "comment";
  if (stream.match('"')) return string(stream, state);
  if (stream.match(/^#\\(?:[^\s()[\]"';`,|]+|.)/)) return "character";
  if (stream.match(/^(?:#u8)?#?[([]/i)) {
    state.isHead = !isName;
    state.isName = isName;
    return "bracket";
  }
  if (stream.match(/^[)\]]/)) return "bracket";
  if (stream.match(/^(?:,@|[',`’‘])/)) return "meta";
  if (!stream.match(WORD)) {
    stream.next();
    return null;
  }
  const word = stream.current().toLowerCase();
  if (NUMBER.test(word)) return "number";
  if (word.startsWith("#")) return "bool";
  if (isName) return "variableName.definition";
  if (isHead && FORMS.has(word)) {
    state.isName = word.startsWith("define");
    return "keyword";
  }
  return isHead && PROCEDURES.has(word) ? "propertyName" : "variableName";
}

function blockComment(stream: StringStream, state: State): string {
  while (!stream.eol() && state.comment > 0) {
    if (stream.match("|#")) state.comment -= 1;
    else if (stream.match("#|")) state.comment += 1;
    else stream.next();
  }
  return "comment";
}

function string(stream: StringStream, state: State): string {
  state.inString = true;
  while (!stream.eol()) {
    const character = stream.next();
    if (character === "\\") stream.next();
    else if (character === '"') {
      state.inString = false;
      break;
    }
  }
  return "string";
}

const language = StreamLanguage.define<State>({
  name: "scheme",
  startState: () => ({ comment: 0, inString: false, isHead: false, isName: false }),
  token,
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["(", "[", '"'] } },
});

type Part = { text: string; column: number; line: number };

type Group = Part & { isData: boolean; parts: Part[] };

const TOKENS = /;.*|#\|[\s\S]*?(?:\|#|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|#\\(?:[^\s()[\]]+|.)|[()[\]]|[^\s()[\]";]+/g;

/** The column where a line that begins behind the text should start, by its unclosed form; null inside a string. */
export function indentation(text: string): number | null {
  const start = Math.max(0, text.lastIndexOf("\n(") + 1);
  const open: Group[] = [];
  let line = 0;
  let lineStart = start;
  let before = "";
  for (const found of text.slice(start).matchAll(TOKENS)) {
    const what = found[0];
    const place = start + (found.index ?? 0);
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < place; next = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = next + 1;
    }
    if (what.startsWith(";") || what.startsWith("#|")) continue;
    if (what.startsWith('"') && (what.length === 1 || !/[^\\](?:\\\\)*"$/.test(what))) return null;
    const part = { text: what, column: place - lineStart, line };
    if (what === ")" || what === "]") open.pop();
    else {
      open.at(-1)?.parts.push(part);
      const isData = open.at(-1)?.isData === true || /['`’‘]$/.test(before);
      if (what === "(" || what === "[") open.push({ ...part, isData, parts: [] });
    }
    before = what;
  }
  const group = open.at(-1);
  return group === undefined ? 0 : columnIn(group);
}

function columnIn(group: Group): number {
  const [head, ...others] = group.parts;
  if (head === undefined) return group.column + 1;
  if (group.isData || /^[([]/.test(head.text)) return head.column;
  const second = others[0];
  const aligned = second !== undefined && second.line === head.line ? second.column : null;
  const name = head.text.toLowerCase();
  const isNamed = second !== undefined && !/^[([]/.test(second.text);
  const before = name.startsWith("define") ? 1 : name === "let" && isNamed ? 2 : BODIES.get(name);
  if (before === undefined) return aligned ?? group.column + (CLAUSES.has(name) ? 2 : 1);
  if (others.length < before) return group.column + 4;
  return before === 0 && aligned !== null ? aligned : group.column + 2;
}

/** The support of the editor; `lookUp` gives the names of the session that begin with a word. */
export function scheme(lookUp: (word: string) => Promise<Name[] | null>): LanguageSupport {
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[^\s()[\]"';`,|#]+/);
    if (word === null || (!context.explicit && word.text.length < 2)) return null;
    const typed = word.text.toLowerCase();
    const known = await lookUp(typed);
    const options =
      known ?? [...FORMS, ...PROCEDURES].filter((each) => each.startsWith(typed)).map((label) => ({ label }));
    const here = context.state.doc.toString().matchAll(/\(define\s+\(*([^\s()]+)/g);
    const labels = new Set(options.map((each) => each.label));
    const own = [...new Set([...here].map((each) => each[1]))]
      .filter((each) => each.startsWith(typed) && each !== typed && !labels.has(each))
      .map((label) => ({ label, detail: "in this file" }));
    return { from: word.from, options: [...own, ...options], validFor: /^[^\s()[\]"';`,|#]*$/ };
  };
  return new LanguageSupport(language, [
    indentService.of((context, place) => indentation(context.state.doc.sliceString(0, place))),
    language.data.of({ autocomplete: complete }),
  ]);
}
