// Parts of the page: tabs, notices, the dialog, the side panel.

import type { Answer, Question, Run } from "./protocol";
import type { File } from "./store";

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A new element with a class and text. */
export function made(tag: string, kind: string, text = "", ...inside: Node[]): HTMLElement {
  const node = document.createElement(tag);
  if (kind !== "") node.className = kind;
  if (text !== "") node.textContent = text;
  node.append(...inside);
  return node;
}

export function stated(text: string): void {
  const state = element("state");
  if (state.textContent !== text) state.textContent = text;
}

export function inform(text: string, button = "", act: () => void = () => {}): void {
  const notice = element("notice");
  const action = element<HTMLButtonElement>("notice-do");
  const close = () => {
    notice.hidden = true;
  };
  notice.hidden = false;
  (notice.firstElementChild as HTMLElement).textContent = text;
  action.hidden = button === "";
  action.textContent = button;
  action.onclick = () => {
    close();
    act();
  };
  element("notice-close").onclick = close;
}

export function showTabs(files: File[], current: string, choose: (name: string) => void): void {
  const tabs = files.map(({ name }) => {
    const tab = made("button", "tab", name) as HTMLButtonElement;
    const isCurrent = name === current;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(isCurrent));
    tab.setAttribute("aria-controls", "editor");
    tab.tabIndex = isCurrent ? 0 : -1;
    tab.onclick = () => choose(name);
    return tab;
  });
  const list = element("tabs");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...tabs);
  const selected = tabs.find((tab) => tab.tabIndex === 0);
  if (hadFocus) selected?.focus();
  list.onkeydown = (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const number = files.findIndex((each) => each.name === current);
    if (step !== 0) choose(files[(number + step + files.length) % files.length].name);
  };
}

type Wanted = { ok: string; text?: string; accept?: (text: string) => unknown };

/** A text that a person enters or takes; null if she cancels. */
export function textFromPerson(title: string, label: string, text: string, wanted: Wanted): Promise<string | null> {
  const dialog = element<HTMLDialogElement>("dialog");
  const input = element<HTMLInputElement>("dialog-input");
  element("dialog-title").textContent = title;
  element("dialog-label").textContent = label;
  element("dialog-text").textContent = wanted.text ?? "";
  element("dialog-ok").textContent = wanted.ok;
  input.value = text;
  dialog.returnValue = "";
  dialog.showModal();
  input.select();
  element("dialog-ok").onclick = () => void wanted.accept?.(input.value);
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "ok" && input.value.trim() !== "" ? input.value : null);
  });
}

export function textFromDisk(): Promise<File | null> {
  const input = element<HTMLInputElement>("file-input");
  input.value = "";
  input.click();
  return new Promise((resolve) => {
    input.onchange = async () => {
      const file = input.files?.[0];
      resolve(file === undefined ? null : { name: file.name, text: (await file.text()).replaceAll("\r\n", "\n") });
    };
    input.oncancel = () => resolve(null);
  });
}

export function saveAs(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name.split("/").at(-1) ?? name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The lines of a unified difference, marked. */
function differences(text: string): HTMLElement {
  const lines = text.split("\n").filter((line) => !/^(---|\+\+\+)/.test(line));
  const parts = lines.map((line) => {
    const kind = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
    return made(kind, line.startsWith("@@") ? "where" : "", `${line}\n`);
  });
  return made("pre", "differences", "", ...parts);
}

/** The panel beside the editor, with questions or a replay. */
export class Side {
  private readonly panel = element("side");
  private readonly body = element("side-body");

  constructor() {
    element("side-close").onclick = () => {
      this.panel.hidden = true;
      document.body.classList.remove("with-side");
    };
  }

  private open(title: string, ...parts: Node[]): void {
    this.panel.hidden = false;
    document.body.classList.add("with-side");
    (this.panel.querySelector("h2") as HTMLElement).textContent = title;
    this.body.replaceChildren(...parts);
    this.body.scrollTop = 0;
  }

  showReplay(name: string, { outcomes = [], failure = "" }: Answer): void {
    const failed = outcomes.filter((each) => each.fails);
    const count = `${outcomes.length} interaction${outcomes.length === 1 ? "" : "s"}`;
    const summary = failed.length === 0 ? `${count}, all as in the transcript` : `${failed.length} of ${count} differ`;
    const rows = outcomes
      .filter((each) => each.fails || each.note !== "")
      .map((each) =>
        made(
          "section",
          "outcome",
          "",
          made("h3", "", `Line ${each.line}: ${each.verdict}`),
          made("pre", "", `> ${each.source}`),
          ...(each.difference === "" ? [] : [differences(each.difference)]),
          ...(each.note === "" ? [] : [made("p", "", each.note)]),
        ),
      );
    const verdict =
      failure === "" ? made("p", failed.length === 0 ? "passed" : "failed", summary) : made("p", "failed", failure);
    verdict.setAttribute("role", "status");
    this.open(`Replay of ${name}`, verdict, ...rows);
  }

  /** Show a recorded run: the expression as it stands at each step, its marked part, and the variables. */
  showRun(run: Run): void {
    const last = run.steps.length;
    const slider = made("input", "slider") as HTMLInputElement;
    Object.assign(slider, { type: "range", min: "0", max: String(last), value: "0" });
    slider.setAttribute("aria-label", "Step");
    const title = made("p", "where");
    const code = made("pre", "step");
    const more = made("pre", "frames");
    const show = (number: number): void => {
      const at = Math.max(0, Math.min(last, number));
      const step = run.steps[at];
      slider.value = String(at);
      title.textContent =
        step === undefined ? `The end, after ${last} steps` : `Step ${at + 1} of ${last}: ${step.kind}`;
      const text = [...(step?.text ?? Object.values(run.result)[0])];
      const [start, end] = step?.mark ?? [0, 0];
      const pieces = [text.slice(0, start), text.slice(start, end), text.slice(end)].map((each) => each.join(""));
      code.replaceChildren(pieces[0], made("mark", "", pieces[1]), pieces[2]);
      const frames = step?.frames?.map((each) =>
        [
          `${each.name} ${each.procedure}`.trim(),
          ...each.variables.map(([name, value]) => `  ${name} = ${value}`),
        ].join("\n"),
      );
      const printed = [...run.output].slice(0, step?.printed).join("");
      more.textContent = [...(frames ?? []), ...(printed === "" ? [] : [`printed:\n${printed}`])].join("\n\n");
    };
    const button = (label: string, target: () => number): HTMLElement =>
      Object.assign(made("button", "", label), { onclick: () => show(target()) });
    slider.oninput = () => show(Number(slider.value));
    const back = button("Back", () => Number(slider.value) - 1);
    const forward = button("Forward", () => Number(slider.value) + 1);
    this.open(run.expression.slice(0, 60), made("div", "check", "", back, slider, forward), title, code, more);
    show(0);
    slider.focus();
  }

  /** Show a handout, a transcript whose prose stands between its interactions; `check` runs them. */
  showHandout(text: string, check: () => Promise<Question[] | null>): void {
    const button = made("button", "primary", "Check all questions") as HTMLButtonElement;
    const state = made("p", "");
    state.setAttribute("role", "status");
    const places = new Map<string, HTMLElement>();
    const parts: HTMLElement[] = [];
    for (const part of text.split(/^; minischeme: question /m)) {
      const [first, ...lines] = part.split("\n");
      const prose = lines.join("\n").split(/^; minischeme: /m)[0];
      const name = first.replaceAll('"', "").trim();
      const isQuestion = parts.length > 0;
      const paragraphs = (isQuestion ? prose : part)
        .split(/\n\n+/)
        .filter((each) => each.trim() !== "" && !/^[;>]/.test(each));
      const result = made("div", "result");
      if (isQuestion) places.set(name, result);
      const shown = paragraphs.map((each) =>
        made(each.startsWith("    ") ? "pre" : "p", "", each.replace(/^ {4}/gm, "")),
      );
      parts.push(made("section", "question", "", ...(isQuestion ? [made("h3", "", name)] : []), ...shown, result));
    }
    button.onclick = async () => {
      button.disabled = true;
      state.textContent = "Checking…";
      const found = await check();
      button.disabled = false;
      for (const place of places.values()) place.replaceChildren();
      state.textContent = found === null ? "Not checked" : this.result(found, places);
    };
    this.open("Twenty-One", parts[0], made("div", "check", "", button, state), ...parts.slice(1));
  }

  private result(questions: Question[], places: Map<string, HTMLElement>): string {
    for (const each of questions) {
      const place = places.get(each.name);
      const kind = each.passed ? "passed" : "failed";
      place?.append(made("p", kind, each.passed ? "✓ Right" : `✗ ${each.right} of ${each.all} right`));
      if (each.difference !== "") place?.append(differences(each.difference));
    }
    const known = questions.filter((each) => places.has(each.name));
    if (known.length === 0) return questions[0]?.difference ?? "";
    return `${known.filter((each) => each.passed).length} of ${known.length} questions are right`;
  }
}
