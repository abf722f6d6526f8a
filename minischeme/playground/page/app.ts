// The page: puts its parts together, and does what its buttons say.

import type { EditorState } from "@codemirror/state";
import { fileEditor, promptEditor, setText, underline } from "./editor";
import handouts from "./handouts.json";
import { Log } from "./log";
import { element, inform, Side, saveAs, showTabs, stated, textFromDisk, textFromPerson } from "./parts";
import type { Answer, Failure } from "./protocol";
import { Python } from "./python";
import { indentation } from "./scheme";
import { type File, fresh, load, packed, properName, save, unpacked, type Work } from "./store";

const EARLIER = "minischeme-earlier";
const SHARED = "minischeme-shared";
const MOST_IN_ADDRESS = 30_000;
let work: Work = load() ?? fresh();
let [isBusy, isReady, isAsking, isStopped] = [false, false, false, false];
let entryNumber: number | null = null;
let failures: Failure[] = [];
const states = new Map<string, EditorState>();

const log = new Log(element("log"));
const side = new Side();
const python = new Python({
  output: (text) => log.output(text),
  asked: () => setAsking(true),
});

const lookUp = async (word: string) =>
  isReady && !isBusy ? ((await python.request({ do: "complete", word })).names ?? null) : null;
const editor = fileEditor(element("editor"), lookUp, changed, () => {
  void run();
  return true;
});
const prompt = promptEditor(element("prompt"), lookUp, { enter, interrupt, end, earlier, later });

function current(): File {
  return work.files.find((each) => each.name === work.current) ?? work.files[0];
}

let saving: ReturnType<typeof setTimeout> | undefined;

function keep(): void {
  clearTimeout(saving);
  saving = setTimeout(() => save(work), 250);
}

function changed(text: string): void {
  current().text = text;
  keep();
}

function show(name: string): void {
  if (work.files.some((each) => each.name === work.current)) states.set(work.current, editor.view.state);
  work.current = name;
  const state = states.get(name);
  const isOld = state !== undefined && state.doc.toString() === current().text;
  editor.view.setState(isOld ? state : editor.open(current().text, name));
  underline(
    editor.view,
    failures.filter((each) => each.file === name),
  );
  showTabs(work.files, name, show);
  keep();
}

function add(name: string, text: string): void {
  const found = work.files.find((each) => each.name === name);
  if (found === undefined) work.files.push({ name, text });
  else found.text = text;
  states.delete(name);
  show(name);
}

function freeName(wanted: string): string {
  const [, stem, end] = /^(.*?)(\.[^.]*)?$/.exec(wanted) ?? ["", wanted, ""];
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${stem}-${number}${end ?? ""}`;
    if (!work.files.some((each) => each.name === name)) return name;
  }
}

function texts(): Record<string, string> {
  return Object.fromEntries(work.files.map((each) => [each.name, each.text]));
}

function showState(): void {
  element<HTMLButtonElement>("stop").disabled = !isBusy;
  element<HTMLButtonElement>("run").disabled = !isReady || isBusy;
  document.body.classList.toggle("busy", isBusy);
  const ready = python.isolated ? "Ready" : "Ready · Stop restarts Python";
  stated(!isReady ? "Loading Python…" : isAsking ? "The program asks for a line" : isBusy ? "Running…" : ready);
}

function setAsking(is: boolean): void {
  isAsking = is;
  element("mark").textContent = is ? "?" : ">";
  element("entry").classList.toggle("asking", is);
  if (is) prompt.focus();
  showState();
}

async function start(greeting: boolean): Promise<void> {
  isReady = false;
  showState();
  try {
    const seconds = await python.start();
    document.documentElement.dataset.seconds = seconds.toFixed(2);
    await python.request({ do: "start", files: texts(), transcript: work.transcript, greeting });
  } catch (error) {
    stated("Python could not start");
    inform(`Python could not start: ${error}. Your text is safe.`, "Try again", () => void start(greeting));
    return;
  }
  isReady = true;
  showState();
  void python.request({ do: "prepare" });
}

/** Let the page be busy while something is done; null if it is busy already, or not ready. */
async function busily<T>(act: () => Promise<T>): Promise<T | null> {
  if (!isReady || isBusy) return null;
  isBusy = true;
  isStopped = false;
  showState();
  try {
    return await act();
  } finally {
    log.flush();
    isBusy = false;
    setAsking(false);
  }
}

/** Make a request that runs Scheme, and show what came of it. */
async function perform(request: { do: string } & Record<string, unknown>): Promise<Answer | null> {
  const answer = await python.request({ ...request, files: texts() });
  if (answer.fatal !== undefined) {
    await restart(answer.fatal);
    return null;
  }
  for (const [name, text] of Object.entries(answer.written ?? {})) {
    if (name.endsWith(".svg")) log.picture(name, text);
    else if (work.files.find((each) => each.name === name)?.text !== text) {
      states.delete(name);
      const found = work.files.find((each) => each.name === name);
      if (found === undefined) work.files.push({ name, text });
      else found.text = text;
      show(work.current);
      log.note(`;; ${name} was written: it is among the files`);
    }
  }
  for (const svg of answer.pictures ?? []) log.picture("drawing.svg", svg);
  if (answer.run !== undefined) side.showRun(answer.run);
  if (answer.errors.length > 0) failures = answer.errors;
  underline(
    editor.view,
    failures.filter((each) => each.file === work.current),
  );
  work.transcript = answer.transcript ?? work.transcript;
  keep();
  return answer;
}

async function restart(reason: string): Promise<void> {
  const isStopped = reason === "stopped";
  log.note(
    isStopped
      ? ";; Stopped. Python begins again: definitions are gone, your text is all here; Run loads it."
      : ";; This program needed more than the browser has. Python begins again: definitions are gone, your text is all here; Run loads it.",
    isStopped ? "note" : "note failed",
  );
  if (!isStopped) console.warn(reason);
  save(work);
  await start(false);
}

async function run(): Promise<void> {
  await busily(() => {
    log.typed(`(load ${JSON.stringify(work.current)})`);
    failures = [];
    return perform({ do: "run", name: work.current });
  });
  prompt.focus();
}

function enter(text: string, atEnd: boolean): boolean {
  if (isAsking) {
    log.answered(text);
    setText(prompt, "");
    setAsking(false);
    python.answer(text);
    return true;
  }
  if (!atEnd) return false;
  if (text.trim() !== "") void busily(() => evaluate(text));
  return isReady || text.trim() === "";
}

/** Evaluate an entry of the prompt, or begin another line of one that is not finished. */
async function evaluate(text: string): Promise<void> {
  if ((await python.request({ do: "unfinished", text })).unfinished) {
    const column = indentation(`${text}\n`) ?? 0;
    setText(prompt, `${text}\n${" ".repeat(column)}`);
    return;
  }
  setText(prompt, "");
  if (isStopped) return;
  log.typed(text);
  if (work.history.at(-1) !== text) work.history.push(text);
  entryNumber = null;
  await perform({ do: "enter", text });
}

function interrupt(): boolean {
  if (isBusy) stop();
  else setText(prompt, "");
  return true;
}

function stop(): void {
  isStopped = true;
  log.answered("^C");
  python.stop();
  prompt.focus();
}

function end(): boolean {
  if (isAsking) python.answer(null);
  return isAsking;
}

function earlier(): string | null {
  const number = (entryNumber ?? work.history.length) - 1;
  if (isAsking || number < 0) return null;
  entryNumber = number;
  return work.history[number];
}

function later(): string | null {
  if (isAsking || entryNumber === null) return null;
  entryNumber += 1;
  if (entryNumber < work.history.length) return work.history[entryNumber];
  entryNumber = null;
  return "";
}

async function share(): Promise<void> {
  const fragment = await packed(work);
  const address = `${location.origin}${location.pathname}#${fragment}`;
  localStorage.setItem(SHARED, fragment);
  history.replaceState(null, "", `#${fragment}`);
  const size = fragment.length > MOST_IN_ADDRESS ? " It is very long: some programs cut it; clear the transcript." : "";
  await textFromPerson(
    "Share",
    "This address holds your files and the transcript. Nothing is sent anywhere.",
    address,
    {
      ok: "Copy",
      text: `${fragment.length.toLocaleString("en")} characters.${size}`,
      accept: (text) => navigator.clipboard?.writeText(text),
    },
  );
}

/** Show the work of an address. The own work is kept, and nothing is run. */
async function openAddress(): Promise<void> {
  const fragment = location.hash.slice(1);
  if (fragment === "" || fragment === localStorage.getItem(SHARED)) return;
  const sent = await unpacked(fragment);
  if (sent === null) {
    inform("The address holds no program that can be read; it may have been cut off.");
    return;
  }
  save(work, EARLIER);
  localStorage.setItem(SHARED, fragment);
  take({ ...sent, history: work.history });
  inform("This program came with the address. Your own is kept.", "Back to mine", () => {
    take(load(EARLIER) ?? fresh());
    history.replaceState(null, "", location.pathname);
    void start(false);
  });
}

function take(other: Work): void {
  work = other;
  editor.view.setState(editor.open(current().text, work.current));
  log.clear();
  if (work.transcript !== "") {
    log.note(work.transcript.trimEnd(), "past");
    log.note(";; The session above has ended; Run loads the program again.");
  }
  show(work.current);
  if (work.handout !== "") openHandout();
  save(work);
}

async function replay(name: string, text: string): Promise<void> {
  const answer = await python.request({ do: "replay", name, text, files: texts() });
  if (answer.fatal !== undefined) await restart(answer.fatal);
  else if (!answer.stopped) side.showReplay(name, answer);
}

function newHandout(): void {
  work.handout = "twenty-one";
  add(freeName("my-twenty-one.scm"), handouts.program);
  openHandout();
}

function openHandout(): void {
  side.showHandout(handouts.questions, () =>
    busily(async () => {
      const request = { do: "check", text: handouts.questions, name: work.current, files: texts() };
      const answer = await python.request(request);
      if (answer.fatal !== undefined) await restart(answer.fatal);
      return answer.questions ?? null;
    }),
  );
}

async function newFile(): Promise<void> {
  const name = await textFromPerson("New file", "Name", freeName("more.scm"), { ok: "Create" });
  if (name !== null) add(freeName(properName(name)), "");
}

async function rename(): Promise<void> {
  const name = await textFromPerson("Rename", "Name", work.current, { ok: "Rename" });
  if (name === null || name === work.current) return;
  const file = current();
  file.name = freeName(properName(name));
  work.current = file.name;
  editor.view.setState(editor.open(file.text, file.name));
  show(file.name);
}

function remove(): void {
  const { name, text } = current();
  work.files = work.files.filter((each) => each.name !== name);
  if (work.files.length === 0) work.files = fresh().files;
  show(work.files[0].name);
  inform(`${name} is deleted.`, "Undo", () => add(freeName(name), text));
}

async function clear(): Promise<void> {
  await python.request({ do: "clear" });
  work.transcript = "";
  log.clear();
  keep();
}

const actions: Record<string, () => unknown> = {
  "new-file": newFile,
  "new-program": () => add(freeName("program.scm"), fresh().files[0].text),
  "new-handout": newHandout,
  open: async () => {
    const file = await textFromDisk();
    if (file !== null) add(freeName(properName(file.name)), file.text);
  },
  download: () => saveAs(work.current, current().text),
  rename,
  remove,
  transcript: () => saveAs("transcript.txt", work.transcript),
  replay: () => busily(() => replay("transcript.txt", work.transcript)),
  "replay-file": async () => {
    const file = await textFromDisk();
    if (file !== null) await busily(() => replay(properName(file.name), file.text));
  },
  clear: () => busily(clear),
};

for (const button of document.querySelectorAll<HTMLElement>("[data-do]")) {
  button.addEventListener("click", () => {
    button.closest<HTMLElement>("[popover]")?.hidePopover();
    void actions[button.dataset.do ?? ""]?.();
  });
}
element("run").addEventListener("click", () => void run());
element("stop").addEventListener("click", stop);
element("share").addEventListener("click", () => void share());
element("log").addEventListener("click", () => {
  if (getSelection()?.isCollapsed) prompt.focus();
});
addEventListener("pagehide", () => save(work));
addEventListener("hashchange", () => void openAddress());

/** The service worker keeps the files; wait for it for a moment, so that they are fetched once. */
async function serve(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("service.js", { updateViaCache: "all" });
    if (navigator.serviceWorker.controller !== null) return;
    await Promise.race([
      new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true })),
      new Promise((resolve) => setTimeout(resolve, 3_000)),
    ]);
  } catch {
    // A browser that forbids it: the page works without, as long as there is a network.
  }
}

take(work);
await openAddress();
await serve();
await start(work.transcript === "");
