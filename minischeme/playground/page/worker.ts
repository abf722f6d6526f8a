// The worker: Python (Pyodide) with minischeme, which answers the page's requests.

import type { PyodideInterface } from "pyodide";
import { type Answer, INPUT, type Message, type Order, SHARED, SIGNAL, STATE } from "./protocol";

declare const self: DedicatedWorkerGlobalScope;
declare const STACK_BYTES: number;
let shared: Int32Array | null = null;
let handle: ((request: string) => string) | null = null;

function tell(message: Message): void {
  self.postMessage(message);
}

const alarm = { at: Number.POSITIVE_INFINITY, interval: 0 };

/** The place where Python looks for signals: those of the page, and those of the timer. */
const signals = {
  get 0(): number {
    if (performance.now() >= alarm.at) {
      alarm.at = alarm.interval > 0 ? performance.now() + alarm.interval : Number.POSITIVE_INFINITY;
      return SIGNAL.alarm;
    }
    return shared === null ? 0 : Atomics.load(shared, SHARED.signal);
  },
  set 0(value: number) {
    if (shared !== null) Atomics.store(shared, SHARED.signal, value);
  },
};

function setAlarm(seconds: number, interval: number): number {
  const left = Math.max(0, (alarm.at - performance.now()) / 1000);
  alarm.at = seconds > 0 ? performance.now() + seconds * 1000 : Number.POSITIVE_INFINITY;
  alarm.interval = interval * 1000;
  return Number.isFinite(left) ? left : 0;
}

/** The line that a person types; empty at the end of the input, null after Stop. */
function ask(): string | null {
  const question = crypto.randomUUID();
  if (shared !== null) Atomics.store(shared, SHARED.state, STATE.waiting);
  tell({ kind: "ask", question });
  if (shared === null) return askService(question);
  Atomics.wait(shared, SHARED.state, STATE.waiting);
  const state = Atomics.load(shared, SHARED.state);
  if (state === STATE.stopped) return null;
  if (state === STATE.ended) return "";
  const bytes = new Uint8Array(shared.buffer).slice(SHARED.line, SHARED.line + Atomics.load(shared, SHARED.length));
  return new TextDecoder().decode(bytes);
}

/** The same without shared memory: a request that the service worker answers when the page has the line. */
function askService(question: string): string {
  for (;;) {
    const request = new XMLHttpRequest();
    request.open("GET", `${INPUT}?${question}`, false);
    try {
      request.send();
    } catch {
      return "";
    }
    if (request.status === 200) return request.responseText;
    if (request.status !== 202) return "";
  }
}

async function begin(buffer: SharedArrayBuffer | null): Promise<void> {
  const started = performance.now();
  shared = buffer === null ? null : new Int32Array(buffer, 0, SHARED.bytes / 4);
  const archive = fetch("minischeme.zip").then((response) => response.arrayBuffer());
  const source = "./pyodide/pyodide.mjs";
  const { loadPyodide } = (await import(source)) as typeof import("pyodide");
  const python: PyodideInterface = await loadPyodide({ env: { HOME: "/home/student" } });
  protectStack(python);
  const site = python.runPython("import sysconfig; sysconfig.get_path('purelib')") as string;
  python.unpackArchive(await archive, "zip", { extractDir: site });
  python.registerJsModule("page_of_minischeme", {
    show: (text: string) => tell({ kind: "output", text }),
    ask,
    set_alarm: setAlarm,
  });
  python.setInterruptBuffer(signals as unknown as Int32Array);
  handle = python.runPython(`
from page_of_minischeme import ask, set_alarm, show
from minischeme.playground.worker import Worker, set_alarms

def asked():
    line = ask()
    if line is None:
        raise KeyboardInterrupt
    return line

set_alarms(set_alarm)
Worker(show, asked).handle
`);
  tell({ kind: "ready", seconds: (performance.now() - started) / 1000 });
}

/** Let Python believe in a smaller stack: the browser's ends before that of its memory does. */
function protectStack(python: PyodideInterface): void {
  // biome-ignore lint/suspicious/noExplicitAny: Pyodide does not declare the functions of Python's C interface.
  const module = (python as any)._module;
  const base: number = module._emscripten_stack_get_base();
  module._PyUnstable_ThreadState_SetStackProtection(module._PyThreadState_Get(), base - STACK_BYTES, STACK_BYTES);
}

function answerTo(request: unknown): Answer {
  try {
    return JSON.parse(handle?.(JSON.stringify(request)) ?? "{}");
  } catch (error) {
    return { fatal: String(error), errors: [] };
  }
}

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const failed = (error: unknown) => tell({ kind: "ready", seconds: 0, failure: String(error) });
  if (data.kind === "begin") await begin(data.shared).catch(failed);
  else tell({ kind: "answer", number: data.number, answer: answerTo(data.request) });
};
